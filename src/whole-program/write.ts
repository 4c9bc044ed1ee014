/**
 * Makes the service as one file in a new folder of the given place, and the list that leads to it:
 * `node write.ts <place>`, without an environment. What was there before goes.
 */

import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { noticesFile, noticesOf } from '../programs/notices.ts';
import { openReadable } from '../programs/place.ts';
import { packageLists, root } from '../runtime/installation.ts';
import { base, bundleWhole, isSource } from './bundle.ts';
import { type KeptList, listFile, loadWhole, programFile, stateOf } from './load.ts';

const [place = ''] = process.argv.slice(2);
// Processes of other users read the files, however strict the umask of the service is.
process.umask(0o022);

const startedAt = Date.now();
const { text, inputs } = await bundleWhole();

// What makes it may change too.
const maker = readdirSync(import.meta.dirname).map((name) => join(import.meta.dirname, name));
const sources = new Set([...inputs.map((path) => join(base, path)).filter(isSource), ...maker, ...packageLists]);
const states = [...sources].map((path): [string, KeptList['sources'][string]] => {
  const from = relative(root, path);
  return [from, stateOf(from)];
});
const changed = states.find(([, state]) => state !== null && state[1] >= startedAt);
if (changed) throw new Error(`${changed[0]} has changed meanwhile`);

const folder = openReadable(join(place, 'of-'));
const write = (name: string, content: string) =>
  writeFileSync(join(folder, name), content, { flag: 'wx', mode: 0o644 });
write(programFile, text);
write(noticesFile, noticesOf(base, inputs));
const list: KeptList = { folder: basename(folder), node: process.version, sources: Object.fromEntries(states) };
write(listFile, JSON.stringify(list));
renameSync(join(folder, listFile), join(place, listFile));
for (const name of readdirSync(place)) {
  if (name !== listFile && name !== basename(folder)) rmSync(join(place, name), { recursive: true, force: true });
}
await useOnce();

/**
 * So that what V8 compiles is kept, also where nobody may write later: a command that uses the database, and a server.
 * Without an environment, since the database must be none of an operator's.
 */
async function useOnce(): Promise<void> {
  const temporary = mkdtempSync(join(folder, 'first-'));
  const settings = join(temporary, 'first.env');
  const [database, key] = [join(temporary, 'gatehouse.db'), join(temporary, 'master.key')];
  writeFileSync(settings, `DATABASE_URL=sqlite:${database}\nMASTER_KEY_FILE=${key}\n`);
  try {
    const command = loadWhole('command');
    await command?.run(['--env-file', settings, 'account', 'create', 'first']);
    command?.keepCode();
    const server = loadWhole('serve');
    await server?.loadServer();
    server?.keepCode();
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
