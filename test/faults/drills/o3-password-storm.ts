import { setTimeout as delay } from 'node:timers/promises';
import { clientAuthentication } from '../../support/sign-in.ts';
import { percentile } from '../../support/statistics.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { type Nodes, openNodes } from '../nodes.ts';
import { forSeconds, refreshWhile, residentMegabytes } from '../refreshing.ts';
import { createTally, type Tally } from '../tally.ts';

const perSecond = 500;
const sessionCount = 8;
const mostMegabytes = 512;

/** O3: more passwords than the machine can check. Most are turned away at once, and refreshes continue. */
export const drill: Drill = {
  id: 'O3',
  title: '500 sign-ins a second: a bounded queue, and refreshes continue (a round is a second)',
  rounds: 15,
  quickRounds: null,
  run: (options) => onEachDatabase((database) => runOn(database, options)),
};

async function runOn(database: DatabaseKind, { rounds }: DrillOptions): Promise<DrillResult> {
  const settings = ['grant.password=on', 'limit.sign-in=off', 'limit.client-auth=off'];
  const nodes = await openNodes(database, settings, 1);
  try {
    const tokens = (await nodes.startSessions(sessionCount)).map(({ refresh_token }) => refresh_token);
    const calm = createTally();
    await refreshWhile(nodes, tokens, forSeconds(rounds), calm);
    const [refreshes, signIns] = [createTally(), createTally()];
    let megabytes = 0;
    const watch = setInterval(() => {
      megabytes = Math.max(megabytes, residentMegabytes(nodes));
    }, 100);
    await Promise.all([refreshWhile(nodes, tokens, forSeconds(rounds), refreshes), storm(nodes, rounds, signIns)]);
    clearInterval(watch);
    const failed = [...refreshes.statuses].filter(([status]) => status !== '200').length;
    const odd = signIns.beyond(200, 303, 400, 401, 403, 429);
    return {
      figures: {
        'sign-ins offered': rounds * perSecond,
        'sign-ins by status': signIns.text(),
        'refreshes before, p99 ms': Math.round(percentile(calm.times, 0.99)),
        'refreshes during it, p99 ms': Math.round(percentile(refreshes.times, 0.99)),
        'refreshes before, and during it': `${calm.times.length}, ${refreshes.text()}`,
        'most memory, MB': megabytes,
        ...(odd.length > 0 && { 'not in the contract': odd.join(', ') }),
      },
      holds: failed === 0 && odd.length === 0 && refreshes.times.length > 0 && megabytes < mostMegabytes,
    };
  } finally {
    await nodes.dispose();
  }
}

/** Sign-ins at a steady rate, however many are answered. */
async function storm({ account, client, services }: Nodes, seconds: number, tally: Tally) {
  const [service] = services;
  if (!service) throw new Error('no server runs');
  const wire = account.through(service);
  const { headers, form } = clientAuthentication(client);
  const calls: Promise<unknown>[] = [];
  const began = performance.now();
  while (calls.length < seconds * perSecond) {
    const due = Math.min(seconds * perSecond, ((performance.now() - began) / 1000) * perSecond);
    while (calls.length < due) {
      const guess = { grant_type: 'password', username: `nobody ${calls.length}`, password: 'guess', scope: 'openid' };
      calls.push(tally.note(wire.send('POST', '/oauth2/token', { headers, form: { ...form, ...guess } })));
    }
    await delay(10);
  }
  await Promise.all(calls);
}
