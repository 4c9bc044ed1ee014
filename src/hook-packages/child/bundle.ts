/** Bundles files into one script for the isolate. */

import type { BuildFailure, Plugin } from 'esbuild';
import { limits } from '../protocol.ts';
import { packageOf, unnamed } from './guard.ts';
import { PackageRefusal } from './refusal.ts';

/** Many packages read it; it is inlined here because functions have no such environment variable. */
const environmentName = ['process', 'env', 'NODE_ENV'].join('.');

/** Each package is loaded when the function first requires it. */
function entryOf(names: readonly string[]): string {
  const members = names.map((name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(name)})`);
  return `module.exports = { __proto__: null, ${members.join(', ')} };`;
}

/** The message for the hook's author: the first error and the package it occurred in. */
function reasonOf({ errors }: BuildFailure): string {
  const [first] = errors;
  if (!first) return 'the packages cannot be bundled';
  const user = packageOf(first.location?.file ?? '');
  if (first.detail === unnamed) return `${user} ${first.text}`;
  return first.pluginName === '' ? `${user} cannot be bundled: ${first.text}`.slice(0, 500) : first.text;
}

/**
 * A script whose completion value maps each name to a function that returns the package's exports. The guard decides
 * what may be included besides the files below `folder`. Throws a `PackageRefusal`.
 */
export async function bundle(
  names: readonly string[],
  folder: string,
  { build }: Pick<typeof import('esbuild'), 'build'>,
  guard: Plugin,
): Promise<string> {
  const built = await build({
    stdin: { contents: entryOf(names), resolveDir: folder, sourcefile: 'packages.js', loader: 'js' },
    absWorkingDir: folder,
    bundle: true,
    write: false,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    globalName: 'packages',
    banner: { js: '(()=>{' },
    footer: { js: 'return packages})()' },
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    sourcemap: false,
    // Set explicitly so that esbuild does not look for a tsconfig.json.
    tsconfigRaw: {},
    define: { [environmentName]: '"production"' },
    logLevel: 'silent',
    plugins: [guard],
  }).catch((error: BuildFailure) => {
    throw new PackageRefusal(reasonOf(error));
  });
  const script = built.outputFiles[0]?.text ?? '';
  const size = Buffer.byteLength(script);
  if (size > limits.scriptBytes) {
    throw new PackageRefusal(`the packages make a script of ${size} bytes; the limit is ${limits.scriptBytes}`);
  }
  return script;
}
