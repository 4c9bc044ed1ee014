/** Makes the service as one file where there is none of the present sources, in a process of its own. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPlace } from '../programs/place.ts';
import { freshFolder, placeName } from './load.ts';

const mostMilliseconds = 60_000;

/** Where it is, made if need be; null where nothing can be kept. Throws where it cannot be made. */
export async function makeWhole(): Promise<string | null> {
  const fresh = freshFolder();
  if (fresh !== null) return fresh;
  const place = findPlace(placeName);
  if (place === null) return null;
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
  return freshFolder();
}
