/** openapi-generator, one generator for each language. */

import { run } from '../conformance/toolchain.ts';
import type { ServedContract } from './judge.ts';
import { jar, openapiGeneratorJar } from './tools.ts';

export const openapiGenerator = { tool: 'openapi-generator', version: openapiGeneratorJar.version } as const;

/** Files that nobody compiles. */
const leftOut = ['apiTests', 'modelTests', 'apiDocs', 'modelDocs'].map((name) => `${name}=false`).join(',');

/** Writes the client of a language into a folder, by the defaults and these properties. */
export async function generateClient(
  language: string,
  { yaml }: ServedContract,
  folder: string,
  properties: Readonly<Record<string, string>> = {},
): Promise<void> {
  const given = Object.entries(properties).map(([name, value]) => `${name}=${value}`);
  const more = given.length > 0 ? ['--additional-properties', given.join(',')] : [];
  const generate = ['java', '-jar', await jar(openapiGeneratorJar), 'generate', '--generator-name', language];
  const files = ['--input-spec', yaml, '--output', folder, '--global-property', leftOut];
  await run([...generate, ...files, ...more], { cwd: '.' });
}
