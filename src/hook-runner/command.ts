/** How a hook process is started: Node without JIT and without rights, inside of whatever the system offers. */

import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { programFile } from '../programs/programs.ts';
import type { Needs } from './layers.ts';

export interface HookCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** All that the process and what wraps it find in their environment. */
  readonly variables: Readonly<Record<string, string>>;
}

/** All that a hook process reads: Node, its one file, and the package isolated-vm with its loader. */
interface ProgramPaths {
  readonly node: string;
  readonly program: string;
  readonly isolatedVm: string;
  readonly folders: readonly string[];
}

/** `node` is the program that runs functions; null for the one that runs this. */
function programPaths(node: string | null): ProgramPaths {
  const program = realpathSync(programFile('hook-process'));
  const isolatedVm = realpathSync(createRequire(import.meta.url).resolve('isolated-vm'));
  const loader = realpathSync(createRequire(isolatedVm).resolve('node-gyp-build'));
  const folders = [dirname(isolatedVm), dirname(loader)];
  return { node: realpathSync(node ?? process.execPath), program, isolatedVm, folders };
}

const limits = ['--data=402653184', '--cpu=60', '--nofile=64', '--fsize=0', '--core=0'];

export function needsOfHooks(runtime: string | null): Needs {
  const { node, program, folders } = programPaths(runtime);
  return { files: [node, program], folders, limits };
}

/** `wrap` are the words that stand before the program: `unshare --net …`. */
export function hookCommand(wrap: readonly string[], runtime: string | null): HookCommand {
  const { node, program, isolatedVm, folders } = programPaths(runtime);
  const words = [
    ...wrap,
    node,
    // isolated-vm asks for it.
    '--no-node-snapshot',
    // Most attacks on V8 begin in its compilers, and WebAssembly takes memory that no limit counts.
    '--jitless',
    '--disable-warning=PERM0001',
    '--permission',
    '--allow-addons',
    ...[program, ...folders].map((path) => `--allow-fs-read=${path}`),
    program,
    isolatedVm,
  ];
  return wrappedCommand(words);
}

/** Any program, with the environment of a hook process. */
export function wrappedCommand([file = '', ...args]: readonly string[]): HookCommand {
  // The loader would look for /etc/alpine-release, which it may not read.
  const libc = existsSync('/etc/alpine-release') ? 'musl' : 'glibc';
  return {
    file,
    args,
    variables: { LIBC: libc, PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
  };
}
