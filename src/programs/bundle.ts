/**
 * The programs of shut-in processes, each as one file. A hook process runs without a JIT compiler, which leaves Node
 * nothing to strip types with, and may read no file but its own and the package isolated-vm; the processes that build
 * packages see nothing of the service but theirs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type ShimFile, type Shims, shimPackages } from '../hook-packages/child/shims.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = 'src/hook-runner/child';

const common = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  charset: 'utf8',
  legalComments: 'eof',
  logLevel: 'warning',
  target: 'node24',
  tsconfigRaw: {},
} as const;

function textOf({ outputFiles: [file] }: { readonly outputFiles: readonly { readonly text: string }[] }): string {
  if (!file) throw new Error('esbuild wrote nothing');
  return file.text;
}

/** A script that makes a new context what functions expect; its completion value is what enters it. */
async function bundleGuest(): Promise<string> {
  const bundled = await build({
    ...common,
    entryPoints: [`${folder}/guest/entry.ts`],
    format: 'cjs',
    platform: 'browser',
    minifyWhitespace: true,
    // The packages look at these where they are loaded.
    define: { 'process.env.NODE_DEBUG': 'undefined', global: 'globalThis' },
  });
  // Strict, packages too: a function that is called back is told neither its caller nor what that was called with.
  return `(() => {\n'use strict';\nconst module = { exports: {} };\n${textOf(bundled)}\nreturn module.exports.enter;\n})()`;
}

/** What stands in the place of Node's modules in packages: as text, for the process that bundles finds no file of it. */
export async function gatherShims(): Promise<Shims> {
  const names = Object.entries(shimPackages);
  const contents = names.map(([, name]) => `require(${JSON.stringify(name)});`).join('\n');
  const { metafile } = await build({
    ...common,
    stdin: { contents, resolveDir: root, sourcefile: 'shims.js' },
    platform: 'browser',
    metafile: true,
  });
  const isEmpty = (path: string) => path.startsWith('(disabled):');
  const importsOf = ({ imports }: (typeof metafile.inputs)[string]) =>
    Object.fromEntries(imports.map(({ original = '', path }) => [original, isEmpty(path) ? null : path]));
  const { 'shims.js': entry, ...inputs } = metafile.inputs;
  const paths = Object.keys(inputs).filter((path) => !isEmpty(path));
  const files = paths.map((path): [string, ShimFile] => {
    return [
      path,
      {
        contents: readFileSync(join(root, path), 'utf8'),
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

/** The program of a process that builds packages, from its entry point. The bundler is not in it: that has a program of its own. */
export async function bundlePackageProgram(entry: string): Promise<string> {
  const define = { shims: JSON.stringify(await gatherShims()) };
  const bundled = await build({ ...common, entryPoints: [entry], format: 'esm', platform: 'node', define });
  return textOf(bundled);
}

export async function bundleHookProcess(): Promise<string> {
  const bundled = await build({
    ...common,
    entryPoints: [`${folder}/main.ts`],
    format: 'esm',
    platform: 'node',
    define: { guestScript: JSON.stringify(await bundleGuest()) },
  });
  return textOf(bundled);
}
