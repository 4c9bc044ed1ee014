/** Makes the service as one file where there is none of the present sources, in a process of its own. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findPlace } from '../programs/place.ts';
import { freshFolder, placeName } from './load.ts';

const mostMilliseconds = 60_000;

/**
 * Where it is, made if need be; null where nothing can be kept, or where the sources are changing. Of several processes
 * one makes it. Throws where it cannot be made.
 */
export async function makeWhole(): Promise<string | null> {
  for (;;) {
    const fresh = freshFolder();
    if (fresh !== null) return fresh;
    const place = findPlace(placeName);
    if (place === null) return null;
    const mark = join(place, 'making');
    const mine = isMine(mark);
    if (mine === null) return null;
    if (mine) {
      // Also where this process ends meanwhile: whoever comes next need not wait.
      const unmark = () => rmSync(mark, { force: true });
      process.once('exit', unmark);
      await write(place).finally(unmark);
      process.off('exit', unmark);
      return freshFolder();
    }
    await delay(100);
  }
}

/** Whether the mark was made here, and not by another process that makes the file now; null where nobody can. */
function isMine(mark: string): boolean | null {
  try {
    writeFileSync(mark, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return null;
  }
  const made = statSync(mark, { throwIfNoEntry: false });
  // Its maker was killed, or the clock was set back.
  if (made && Math.abs(Date.now() - made.mtimeMs) > 2 * mostMilliseconds) rmSync(mark, { force: true });
  return false;
}

async function write(place: string): Promise<void> {
  const writer = fileURLToPath(new URL(`write${extname(import.meta.filename)}`, import.meta.url));
  const child = spawn(process.execPath, [writer, place], {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: mostMilliseconds,
  });
  // It ends with this process, which waits for nothing that can be done again.
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [status] = await once(child, 'close');
  process.off('exit', stop);
  if (status !== 0) throw new Error(`the service cannot be made one file: ${said}`);
}
