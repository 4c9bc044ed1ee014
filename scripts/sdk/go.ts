/** Generators for Go. What they write is built and vetted in one module, whose requirements are pinned. */

import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../conformance/toolchain.ts';
import { type Judge, packageOf, type Stage } from './judge.ts';
import { generateClient, openapiGenerator } from './openapi-generator.ts';
import { goEnvironment, goTools, pinnedVersion } from './tools.ts';

const language = 'go';

async function go(args: readonly string[], folder: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  for (const file of ['go.mod', 'go.sum']) cpSync(join(await goTools(), file), join(folder, file));
  await run(['go', ...args], { cwd: folder, env: { ...goEnvironment, ...env } });
}

/** `go vet` builds before it looks. */
const compiled: Stage = {
  word: 'compiled',
  run: ({ surface }, folder) => go(['vet', `./${packageOf(surface)}`], folder),
};

const openapiGeneratorGo: Judge = {
  language,
  ...openapiGenerator,
  tool: `${openapiGenerator.tool} go`,
  needs: ['java', 'go'],
  stages: [
    {
      word: 'generated',
      run: (contract, folder) => {
        const name = packageOf(contract.surface);
        return generateClient('go', contract, join(folder, name), { packageName: name, withGoMod: 'false' });
      },
    },
    compiled,
  ],
  job: async (folder, env) => {
    mkdirSync(join(folder, 'main'), { recursive: true });
    cpSync(new URL('programs/main_job.go', import.meta.url), join(folder, 'main/main.go'));
    await go(['vet', './main'], folder);
    await go(['run', './main'], folder, env);
  },
};

const oapiCodegen: Judge = {
  language,
  tool: 'oapi-codegen',
  version: pinnedVersion('go', 'github.com/oapi-codegen/oapi-codegen/v2'),
  needs: ['go'],
  stages: [
    {
      word: 'generated',
      run: async ({ surface, yaml }, folder) => {
        const name = packageOf(surface);
        mkdirSync(join(folder, name), { recursive: true });
        const options = ['-generate', 'types,client', '-package', name, '-o', join(name, 'client.go')];
        await run([join(await goTools(), 'bin/oapi-codegen'), ...options, yaml], { cwd: folder });
      },
    },
    compiled,
  ],
};

export const goJudges: readonly Judge[] = [openapiGeneratorGo, oapiCodegen];
