/** Generators for TypeScript. What they write is compiled as a careful developer does it. */

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import { compilerOptions } from '../../test/contracts/compiler-options.ts';
import { run } from '../conformance/toolchain.ts';
import type { Judge, ServedContract, Stage } from './judge.ts';
import { generateClient, openapiGenerator } from './openapi-generator.ts';
import { npmTools, pinnedVersion } from './tools.ts';

const language = 'typescript';
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const own = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));

/** `types` are those of the packages that a program needs besides. */
async function compile(folder: string, files: readonly string[], types: readonly string[] = []): Promise<void> {
  const options = { ...compilerOptions, types };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }));
  await run([process.execPath, compiler, '-p', folder], { cwd: folder });
}

/** Compiles what was generated for a surface, from the file that leads to all others. */
function compiled(entry: (surface: string) => string): Stage {
  return { word: 'compiled', run: ({ surface }, folder) => compile(folder, [entry(surface)]) };
}

/** Runs a generator that the repository itself has. */
function bin(name: string, args: readonly string[]): Promise<void> {
  return run([process.execPath, join(own, name), ...args], { cwd: '.' });
}

const openapiTypescript: Judge = {
  language,
  tool: 'openapi-typescript',
  version: packageJson.devDependencies['openapi-typescript'],
  needs: [],
  stages: [
    {
      word: 'generated',
      run: ({ surface, yaml }, folder) => bin('openapi-typescript', [yaml, '--output', join(folder, `${surface}.ts`)]),
    },
    compiled((surface) => `${surface}.ts`),
  ],
};

const heyApi: Judge = {
  language,
  tool: '@hey-api/openapi-ts',
  version: packageJson.devDependencies['@hey-api/openapi-ts'],
  needs: [],
  stages: [
    {
      word: 'generated',
      run: async ({ surface, yaml }, folder) => {
        const output = { path: join(folder, surface), module: { extension: '.js' } };
        const config = join(folder, `${surface}.config.json`);
        writeFileSync(
          config,
          JSON.stringify({ input: yaml, output, plugins: ['@hey-api/client-fetch', '@hey-api/sdk'] }),
        );
        await bin('openapi-ts', ['--file', config, '--silent']);
      },
    },
    compiled((surface) => `${surface}/index.ts`),
  ],
};

const orval: Judge = {
  language,
  tool: 'orval',
  version: pinnedVersion('typescript', 'orval'),
  needs: ['npm'],
  stages: [
    {
      word: 'generated',
      run: async ({ surface, yaml }: ServedContract, folder: string) => {
        const tool = join(await npmTools('typescript'), 'node_modules/.bin/orval');
        const place = join(folder, surface);
        mkdirSync(place, { recursive: true });
        const config = { client: { input: yaml, output: { target: './client.ts', client: 'fetch', mode: 'single' } } };
        writeFileSync(join(place, 'orval.config.mjs'), `export default ${JSON.stringify(config)};\n`);
        await run([process.execPath, tool, '--config', 'orval.config.mjs'], { cwd: place });
      },
    },
    compiled((surface) => `${surface}/client.ts`),
  ],
};

const typescriptFetch: Judge = {
  language,
  ...openapiGenerator,
  tool: `${openapiGenerator.tool} typescript-fetch`,
  needs: ['java'],
  stages: [
    {
      word: 'generated',
      run: (contract, folder) =>
        generateClient('typescript-fetch', contract, join(folder, contract.surface), { importFileExtension: '.js' }),
    },
    compiled((surface) => `${surface}/index.ts`),
  ],
  job: async (folder, env) => {
    cpSync(new URL('programs/typescript-fetch.txt', import.meta.url), join(folder, 'main.ts'));
    await compile(folder, ['main.ts'], ['node']);
    await run([process.execPath, 'built/main.js'], { cwd: folder, env });
  },
};

export const typescript: readonly Judge[] = [openapiTypescript, heyApi, orval, typescriptFetch];
