// Runs the command in the Node that npm installed with the service. An old Node reads this file, and none of those
// before 22.15 can replace its process by another: so this one stays, and passes on signals and the exit status.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { endWithShell } from './end-with-shell.js';

const script = fileURLToPath(new URL('start.js', import.meta.url));

/** Calls `refuse` where there is no such Node, or one that this system cannot run. */
export function continueInBroughtNode(refuse) {
  const file = findNode();
  if (file === null) {
    refuse();
    return;
  }
  const child = spawn(file, [...process.execArgv, script, ...process.argv.slice(2)], { stdio: 'inherit' });
  child.once('error', refuse);
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // A terminal sends this one to both, and a second one would end a server that is finishing what runs.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  if (process.env.npm_command === 'exec') endWithShell();
}

function findNode() {
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return null;
  }
}
