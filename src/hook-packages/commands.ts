/** How the two processes of a build are started, and what each may see. */

import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { type HookCommand, wrappedCommand } from '../hook-runner/command.ts';
import type { Needs } from '../hook-runner/layers.ts';
import { programFile } from '../programs/programs.ts';
import { limits } from './protocol.ts';

/** JavaScript files that import only Node's own modules. */
export interface Programs {
  readonly fetch: string;
  readonly bundle: string;
}

export function ownPrograms(): Programs {
  return { fetch: programFile('package-fetch'), bundle: programFile('package-bundle') };
}

/** One of the two programs: what it needs, and its command line after the confinement's. */
export interface Program {
  readonly needs: Needs;
  command(wrap: readonly string[]): HookCommand;
}

const node = realpathSync(process.execPath);
const options = [`--max-old-space-size=${limits.heapMebibytes}`, '--disable-warning=ExperimentalWarning'];

/** May write in the build folder only; Node's permission model also denies other files, programs and threads. */
export function fetchProgram(programs: Programs, folder: string): Program {
  const file = realpathSync(programs.fetch);
  const mayRead = [file, folder].map((path) => `--allow-fs-read=${path}`);
  return {
    needs: {
      files: [node, file],
      folders: [folder],
      limits: ['--data=1073741824', '--cpu=60', '--nofile=128', `--fsize=${limits.unpackedBytes}`, '--core=0'],
    },
    command: (wrap) =>
      wrappedCommand([
        ...wrap,
        node,
        ...options,
        '--permission',
        ...mayRead,
        `--allow-fs-write=${folder}`,
        file,
        folder,
      ]),
  };
}

/** The bundler's main file, its folder, and the folder of its executable for this platform. */
function findBundler(): { readonly main: string; readonly folders: readonly string[] } {
  const main = realpathSync(createRequire(import.meta.url).resolve('esbuild'));
  const { resolve } = createRequire(main);
  const manifest = realpathSync(resolve('esbuild/package.json'));
  const program = realpathSync(resolve(`@esbuild/${process.platform}-${process.arch}/package.json`));
  return { main, folders: [dirname(manifest), dirname(program)] };
}

/** Writes nothing. The bundler is a native executable, which Node's permission model does not cover. */
export function bundleProgram(programs: Programs, folder: string): Program {
  const file = realpathSync(programs.bundle);
  const { main, folders } = findBundler();
  return {
    needs: {
      files: [node, file],
      folders: [...folders, folder],
      limits: ['--data=2147483648', '--cpu=120', '--nofile=256', '--fsize=0', '--core=0'],
    },
    command: (wrap) => wrappedCommand([...wrap, node, ...options, file, folder, main]),
  };
}
