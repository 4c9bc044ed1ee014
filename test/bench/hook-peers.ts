/** Other ways to run a function for each call, with the same function and the same context. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const run = `const module = { exports: {} };
  new Function('exports', 'module', 'console', source)(module.exports, module, { log() {} });
  Promise.resolve(module.exports.handler(JSON.parse(context))).then((value) => answer(JSON.stringify(value)));`;

/** A worker thread that is made for the call and ended after it: it shares the process, its files and its network. */
export async function runInWorker(source: string, context: string): Promise<string> {
  const program = `const { parentPort, workerData: { source, context } } = require('node:worker_threads');
    const answer = (text) => parentPort.postMessage(text); ${run}`;
  const worker = new Worker(program, { eval: true, workerData: { source, context }, env: {} });
  const [answer] = (await once(worker, 'message')) as [string];
  await worker.terminate();
  return answer;
}

/** A process that is forked for the call and ended after it. */
export async function runInProcess(source: string, context: string): Promise<string> {
  const program = `process.once('message', ({ source, context }) => { const answer = (text) => process.send(text); ${run} });`;
  const child = spawn(process.execPath, ['--eval', program], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {},
  });
  child.send({ source, context });
  const [answer] = (await once(child, 'message')) as [string];
  child.kill('SIGKILL');
  await once(child, 'exit');
  return answer;
}
