/** Generators for Python. Every module that they write is imported, and a warning of the interpreter is an error. */

import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../conformance/toolchain.ts';
import { type Judge, packageOf, type Stage } from './judge.ts';
import { generateClient, openapiGenerator } from './openapi-generator.ts';
import { pinnedVersion, pythonTools } from './tools.ts';

const language = 'python';
const importer = fileURLToPath(new URL('programs/import_all.py', import.meta.url));

async function tool(name: string, args: readonly string[], folder: string): Promise<void> {
  const bin = join(await pythonTools(), 'venv/bin');
  // One of them looks for ruff, which is installed beside it.
  await run([join(bin, name), ...args], { cwd: folder, env: { PATH: `${bin}:${process.env['PATH']}` } });
}

const imported: Stage = {
  word: 'imported',
  run: ({ surface }, folder) => tool('python', ['-W', 'error', importer, packageOf(surface)], folder),
};

const openapiGeneratorPython: Judge = {
  language,
  ...openapiGenerator,
  tool: `${openapiGenerator.tool} python`,
  needs: ['java', 'python3'],
  stages: [
    {
      word: 'generated',
      run: (contract, folder) =>
        generateClient('python', contract, folder, { packageName: packageOf(contract.surface) }),
    },
    imported,
  ],
  job: async (folder, env) => {
    cpSync(new URL('programs/main_job.py', import.meta.url), join(folder, 'main_job.py'));
    await run([join(await pythonTools(), 'venv/bin/python'), 'main_job.py'], { cwd: folder, env });
  },
};

const openapiPythonClient: Judge = {
  language,
  tool: 'openapi-python-client',
  version: pinnedVersion('python', 'openapi-python-client'),
  needs: ['python3'],
  stages: [
    {
      word: 'generated',
      run: ({ surface, yaml }, folder) => {
        const options = ['--path', yaml, '--meta', 'none', '--output-path', packageOf(surface), '--overwrite'];
        return tool('openapi-python-client', ['generate', ...options, '--fail-on-warning'], folder);
      },
    },
    imported,
  ],
  ownFaults: { 'auth-2': 'A required body of two media types: the template forgets to import `Unset`.' },
};

const datamodelCodeGenerator: Judge = {
  language,
  tool: 'datamodel-code-generator',
  version: pinnedVersion('python', 'datamodel-code-generator'),
  needs: ['python3'],
  stages: [
    {
      word: 'generated',
      run: ({ surface, yaml }, folder) => {
        mkdirSync(join(folder, packageOf(surface)), { recursive: true });
        const models = [
          '--output',
          `${packageOf(surface)}/__init__.py`,
          '--output-model-type',
          'pydantic_v2.BaseModel',
        ];
        return tool('datamodel-codegen', ['--input', yaml, '--input-file-type', 'openapi', ...models], folder);
      },
    },
    imported,
  ],
};

export const python: readonly Judge[] = [openapiGeneratorPython, openapiPythonClient, datamodelCodeGenerator];
