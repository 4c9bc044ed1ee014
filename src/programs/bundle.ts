/**
 * The programs of shut-in processes, each as one file. A hook process runs without a JIT compiler, which leaves Node
 * nothing to strip types with, and may read no file but its own and the package isolated-vm; the processes that build
 * packages see nothing of the service but theirs.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { type ShimFile, type Shims, shimPackages } from '../hook-packages/child/shims.ts';
import { packages, root } from '../runtime/installation.ts';

/** The paths of inputs start here. */
export const base = dirname(packages);
const folder = join(root, 'src/hook-runner/child');

const common = {
  absWorkingDir: base,
  bundle: true,
  write: false,
  metafile: true,
  charset: 'utf8',
  legalComments: 'eof',
  logLevel: 'warning',
  target: 'node24',
  tsconfigRaw: {},
} as const;

export interface Bundle {
  readonly text: string;
  /** The files that it is made of, from `base`. */
  readonly inputs: readonly string[];
}

/** For esbuild, a module that a package disables in browsers is an empty file. */
const isEmpty = (path: string) => path.startsWith('(disabled):');

async function bundle(options: BuildOptions): Promise<Bundle> {
  const { outputFiles, metafile } = await build({ ...options, ...common });
  const [file] = outputFiles;
  if (!file) throw new Error('esbuild wrote nothing');
  return { text: file.text, inputs: Object.keys(metafile.inputs).filter((path) => !isEmpty(path)) };
}

/** A script that makes a new context what functions expect; its completion value is what enters it. */
async function bundleGuest(): Promise<Bundle> {
  const { text, inputs } = await bundle({
    entryPoints: [join(folder, 'guest/entry')],
    format: 'cjs',
    platform: 'browser',
    minifyWhitespace: true,
    // The packages look at these where they are loaded.
    define: { 'process.env.NODE_DEBUG': 'undefined', global: 'globalThis' },
  });
  // Strict, packages too: a function that is called back is told neither its caller nor what that was called with.
  const body = `const module = { exports: {} };\n${text}\nreturn module.exports.enter;`;
  return { text: `(() => {\n'use strict';\n${body}\n})()`, inputs };
}

/** The replacements for Node's modules as text, since the process that bundles cannot read the files. */
export async function gatherShims(): Promise<Shims> {
  const names = Object.entries(shimPackages);
  const contents = names.map(([, name]) => `require(${JSON.stringify(name)});`).join('\n');
  const { metafile } = await build({
    ...common,
    stdin: { contents, resolveDir: base, sourcefile: 'shims.js' },
    platform: 'browser',
  });
  const importsOf = ({ imports }: (typeof metafile.inputs)[string]) =>
    Object.fromEntries(imports.map(({ original = '', path }) => [original, isEmpty(path) ? null : path]));
  const { 'shims.js': entry, ...inputs } = metafile.inputs;
  const paths = Object.keys(inputs).filter((path) => !isEmpty(path));
  const files = paths.map((path): [string, ShimFile] => {
    return [
      path,
      {
        contents: readFileSync(join(base, path), 'utf8'),
        imports: importsOf(inputs[path] ?? { bytes: 0, imports: [] }),
      },
    ];
  });
  const found = entry ? importsOf(entry) : {};
  const modules = names.map(([module, name]): [string, string] => [module, found[name] ?? '']);
  return {
    modules: Object.fromEntries(modules),
    files: Object.fromEntries(files.sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/**
 * The program of a process that builds packages, from its entry point below the root. The bundler is not in it: that
 * has a program of its own.
 */
export async function bundlePackageProgram(entry: string): Promise<Bundle> {
  const shims = await gatherShims();
  const { text, inputs } = await bundle({
    entryPoints: [join(root, entry)],
    format: 'esm',
    platform: 'node',
    define: { shims: JSON.stringify(shims) },
  });
  return { text, inputs: [...inputs, ...Object.keys(shims.files)] };
}

export async function bundleHookProcess(): Promise<Bundle> {
  const guest = await bundleGuest();
  const { text, inputs } = await bundle({
    entryPoints: [join(folder, 'main')],
    format: 'esm',
    platform: 'node',
    define: { guestScript: JSON.stringify(guest.text) },
  });
  return { text, inputs: [...inputs, ...guest.inputs] };
}
