/** Writes the programs of shut-in processes into the folder that is named: `node write.ts <folder>`. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleHookProcess, bundlePackageProgram } from './bundle.ts';
import type { ProgramName } from './programs.ts';

const programs: Readonly<Record<ProgramName, () => Promise<string>>> = {
  'hook-process': bundleHookProcess,
  'package-fetch': () => bundlePackageProgram('src/hook-packages/child/fetch-main.ts'),
  'package-bundle': () => bundlePackageProgram('src/hook-packages/child/bundle-main.ts'),
};

const [folder = ''] = process.argv.slice(2);
for (const [name, bundle] of Object.entries(programs)) {
  writeFileSync(join(folder, `${name}.mjs`), await bundle(), { flag: 'wx', mode: 0o644 });
}
