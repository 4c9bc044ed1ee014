/** Languages whose clients are generated and not compiled, because the registries of their packages are not reached. */

import { join } from 'node:path';
import type { Judge } from './judge.ts';
import { generateClient, openapiGenerator } from './openapi-generator.ts';

export const generatedOnly: readonly Judge[] = ['csharp', 'php', 'ruby'].map((language) => ({
  language,
  ...openapiGenerator,
  tool: `${openapiGenerator.tool} ${language}`,
  needs: ['java'],
  stages: [
    {
      word: 'generated',
      run: (contract, folder) => generateClient(language, contract, join(folder, contract.surface)),
    },
  ],
}));
