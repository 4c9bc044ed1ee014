/** A small process of a service, for tests of what gives it connections: it answers its number. */

import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { drain, leave } from '../../src/drain.ts';
import { createMetrics } from '../../src/metrics/registry.ts';
import { readPlace } from '../../src/processes/count.ts';
import { openLink } from '../../src/processes/link.ts';
import { createServer } from '../../src/server.ts';

const place = process.argv.at(-1) ?? '';
if (process.argv.includes('--broken')) process.exit(3);
if (process.argv.includes('--killed')) process.kill(process.pid, 'SIGKILL');
const metrics = createMetrics();
const link = openLink(readPlace(place), metrics);
const server = createServer(async (req, res) => {
  metrics.count('gatehouse_password_queue_refused_total', {});
  metrics.set('gatehouse_removals_waiting', {}, 7);
  if (req.url === '/slow') await delay(200);
  if (req.url === '/hang') standStill(Number.POSITIVE_INFINITY);
  res.end(req.url === '/metrics' ? await link.page() : JSON.stringify({ pid: process.pid, ...link.processes() }));
});
/** As what does not wait: nothing else runs meanwhile. */
function standStill(milliseconds: number): void {
  const began = performance.now();
  while (performance.now() - began < milliseconds);
}

/** All that the process may have, until the same signal comes again. */
const descriptors: number[] = [];
process.on('SIGWINCH', () => {
  if (descriptors.length > 0) {
    for (const one of descriptors.splice(0)) closeSync(one);
    process.stdout.write('has descriptors\n');
    return;
  }
  try {
    for (;;) descriptors.push(openSync('/dev/null', 'r'));
  } catch {
    process.stdout.write('has no descriptor\n');
  }
});

if (process.argv.includes('--migrates')) standStill(2_000);
link.serve({
  server,
  leave: () => leave(server),
  finish: async (hurry) => {
    if (process.argv.includes('--stays')) await once(process, 'never');
    await drain(server, 10_000, hurry);
  },
  crash: (error) => {
    throw error;
  },
});
process.stdout.write(`line of ${place}\n`);
