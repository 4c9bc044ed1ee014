/** Writes the programs of confined processes, and their licences, into a folder: `node write.ts <folder>`. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bundle, base, bundleHookProcess, bundlePackageProgram } from './bundle.ts';
import { noticesFile, noticesOf } from './notices.ts';
import type { ProgramName } from './programs.ts';

const programs: Readonly<Record<ProgramName, () => Promise<Bundle>>> = {
  'hook-process': bundleHookProcess,
  'package-fetch': () => bundlePackageProgram('src/hook-packages/child/fetch-main'),
  'package-bundle': () => bundlePackageProgram('src/hook-packages/child/bundle-main'),
};

const [folder = ''] = process.argv.slice(2);
// Processes of other users read the files, however strict the umask of the service is.
process.umask(0o022);
const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { flag: 'wx', mode: 0o644 });
const allInputs: string[] = [];
for (const [name, make] of Object.entries(programs)) {
  const { text, inputs } = await make();
  write(`${name}.mjs`, text);
  allInputs.push(...inputs);
}
write(noticesFile, noticesOf(base, allInputs));
