/**
 * Makes the service as one file in a new folder of the given place, and the list that leads to it:
 * `node write.ts <place>`, without an environment. Makes nothing while the sources change.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { basename, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { noticesFile, noticesOf } from '../programs/notices.ts';
import { openReadable } from '../programs/place.ts';
import { packageLists, root } from '../runtime/installation.ts';
import { base, bundleWhole, isSource } from './bundle.ts';
import { type KeptList, listFile, loadWhole, presentVersion, programFile, stateOf } from './load.ts';

const [place = ''] = process.argv.slice(2);
/** Another process may be about to read the former one, or to fill its own. */
const oldMilliseconds = 60_000;

// Processes of other users read the files, however strict the umask of the service is.
process.umask(0o022);
// What changes from now on has a later time than what is read.
await delay(1000 - (Date.now() % 1000));
const startedAt = Math.floor(Date.now() / 1000);
const { text, inputs } = await bundleWhole();
const sources = statesOf(inputs);
if (!Object.values(sources).some((state) => state !== null && state[1] >= startedAt)) await useOnce(keep());

function statesOf(inputs: readonly string[]): KeptList['sources'] {
  // What makes it may change too.
  const maker = readdirSync(import.meta.dirname).map((name) => join(import.meta.dirname, name));
  const paths = new Set([...inputs.map((path) => join(base, path)).filter(isSource), ...maker, ...packageLists]);
  return Object.fromEntries([...paths].map((path) => [relative(root, path), stateOf(relative(root, path))]));
}

/** Answers the folder. */
function keep(): string {
  const folder = openReadable(join(place, 'of-'));
  const write = (name: string, content: string) =>
    writeFileSync(join(folder, name), content, { flag: 'wx', mode: 0o644, flush: true });
  write(programFile, text);
  write(noticesFile, noticesOf(base, inputs));
  const list: KeptList = { folder: basename(folder), node: process.version, version: presentVersion(), sources };
  write(listFile, JSON.stringify(list));
  renameSync(join(folder, listFile), join(place, listFile));
  for (const name of readdirSync(place)) {
    const path = join(place, name);
    const isOld = statSync(path).mtimeMs < Date.now() - oldMilliseconds;
    if (isOld && name !== listFile && path !== folder) rmSync(path, { recursive: true, force: true });
  }
  return folder;
}

/**
 * So that what V8 compiles is kept, also where nobody may write later: of a command that uses the database, and of a
 * server, which is this process, so that it never outlives its maker. Without an environment, since the database must
 * be none of an operator's.
 */
async function useOnce(folder: string): Promise<never> {
  const temporary = mkdtempSync(join(folder, 'first-'));
  process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
  const settings = join(temporary, 'first.env');
  const [database, key] = [join(temporary, 'gatehouse.db'), join(temporary, 'master.key')];
  writeFileSync(settings, `DATABASE_URL=sqlite:${database}\nMASTER_KEY_FILE=${key}\nPORT=${await freePort()}\n`);
  const args = (...words: string[]) => ['--env-file', settings, ...words];
  const command = [join(root, 'bin/gatehouse.js'), ...args('account', 'create', 'first')];
  await once(spawn(process.execPath, command, { env: {}, stdio: 'ignore' }), 'close');
  const server = loadWhole('server');
  // One whose port was taken meanwhile does not start; the operator's keeps its own.
  if ((await server?.run(args('serve'))) === 0) server?.keepCode();
  process.exit();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
