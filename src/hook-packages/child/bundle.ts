/** From files to one script for the isolate. */

import type { BuildFailure, Plugin } from 'esbuild';
import { limits } from '../protocol.ts';
import { packageOf, unnamed } from './guard.ts';
import { PackageRefusal } from './refusal.ts';

/** What many packages ask: it is written out here, as no function has it in its environment. */
const environmentName = ['process', 'env', 'NODE_ENV'].join('.');

/** Each package is loaded when the function asks for it. */
function entryOf(names: readonly string[]): string {
  const members = names.map((name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(name)})`);
  return `module.exports = { __proto__: null, ${members.join(', ')} };`;
}

/** What the author is told: the first error, with the package that it is in. */
function reasonOf({ errors }: BuildFailure): string {
  const [first] = errors;
  if (!first) return 'the packages cannot be bundled';
  const user = packageOf(first.location?.file ?? '');
  if (first.detail === unnamed) return `${user} ${first.text}`;
  return first.pluginName === '' ? `${user} cannot be bundled: ${first.text}`.slice(0, 500) : first.text;
}

/**
 * A script whose completion value maps each of the names to a function that answers what the package exports.
 * What comes in beside the files below `folder` is the guard's to say. Throws a `PackageRefusal`.
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
    // Given here, no tsconfig.json is looked for.
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
