// Starts the command line: from one file that was made of all sources, where there is a fresh one, and from the sources
// otherwise. What Node made of the sources is kept beside them, where nobody but this user can write; where there is no
// such place, Node goes on without. This file is JavaScript because what strips the types of the others takes 20 MB of
// memory, and is not loaded when all of them are kept.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { findCodeCache } from './code-cache.js';
import { endWithShell } from './end-with-shell.js';

const cache = findCodeCache(fileURLToPath(new URL('..', import.meta.url)));
if (cache !== null) enableCompileCache(cache);
await preferNodeOfHost();
if (process.env.npm_command === 'exec') endWithShell();
const isServer = process.argv.includes('serve') && !isSupervisor();
const { loadWhole } = await import('../src/whole-program/load.ts');
await run().catch(refuse);
// A command has ended by now; a server goes on, and may be killed later.
flushCompileCache();

/** It answers no requests itself. */
function isSupervisor() {
  return process.argv.some((arg) => /^--processes(=|$)/.test(arg)) && !process.argv.includes('--process');
}

async function run() {
  const whole = loadWhole(isServer ? 'server' : 'command');
  if (whole) {
    process.exitCode = await whole.run(process.argv.slice(2));
    if (process.exitCode === 0) whole.keepCode();
    return;
  }
  await import('../src/gatehouse.ts');
  if (isServer && process.exitCode === 0) setTimeout(makeWhole, 10_000).unref();
}

/** For later starts; a server that soon ends leaves that to others. */
async function makeWhole() {
  const { makeWhole } = await import('../src/whole-program/make.ts');
  // Whoever wants to know why there is none runs `gatehouse prepare`.
  await makeWhole().catch(() => {});
}

/**
 * Goes on in a newer Node of the host, if it has one, where npm brought the running one along. The process stays the
 * same, so that its number, its signals, its pipes and its exit status are those of the service; and it comes by here
 * once, because what it goes on in was not brought by npm. A process that its parent talks to over a channel of Node
 * stays what it is: the channel would be lost.
 */
async function preferNodeOfHost() {
  if (!/[\\/]node_modules[\\/]/.test(process.execPath) || !process.execve || process.connected) return;
  const { findBetterNode } = await import('../src/runtime/host-node.ts');
  const file = findBetterNode({ version: process.version, environment: process.env });
  if (file === null) return;
  flushCompileCache();
  process.execve(file, [file, ...process.execArgv, ...process.argv.slice(1)], process.env);
}

/** An add-on that every command needs may be one that this system cannot load. */
async function refuse(error) {
  const { explainLoadingError } = await import('../src/runtime/add-ons.ts');
  const reason = explainLoadingError(error);
  if (reason === null) throw error;
  process.stderr.write(`gatehouse: ${reason}\n`);
  process.exitCode = 1;
}
