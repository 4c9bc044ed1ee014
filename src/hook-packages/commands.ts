/** How the two processes of a build are started, and all that each of them may see. */

import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { type HookCommand, wrappedCommand } from '../hook-runner/command.ts';
import type { Needs } from '../hook-runner/layers.ts';
import { programFile } from '../programs/programs.ts';
import { limits } from './protocol.ts';

/** Files of JavaScript without imports but those of Node. */
export interface Programs {
  readonly fetch: string;
  readonly bundle: string;
}

export function ownPrograms(): Programs {
  return { fetch: programFile('package-fetch'), bundle: programFile('package-bundle') };
}

/** One of the two: what it needs, and its words behind those that shut it in. */
export interface Program {
  readonly needs: Needs;
  command(wrap: readonly string[]): HookCommand;
}

const node = realpathSync(process.execPath);
const options = [`--max-old-space-size=${limits.heapMebibytes}`, '--disable-warning=ExperimentalWarning'];

/** Writes in the folder of the build, as Node's permission model says too: no other files, no programs, no threads. */
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

/** The bundler: its main file, and the folders of that and of its program for this kind of machine. */
function findBundler(): { readonly main: string; readonly folders: readonly string[] } {
  const main = realpathSync(createRequire(import.meta.url).resolve('esbuild'));
  const { resolve } = createRequire(main);
  const manifest = realpathSync(resolve('esbuild/package.json'));
  const program = realpathSync(resolve(`@esbuild/${process.platform}-${process.arch}/package.json`));
  return { main, folders: [dirname(manifest), dirname(program)] };
}

/** Writes nothing. The bundler is a program of its own, to which Node's permission model would not speak. */
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
