/**
 * Which test files share a process, and in which order the processes start. A process needs up to two seconds of the
 * processor until its first application answers, and a browser another: the small files of a folder share both.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** These take longest and start first: a long file that starts late runs on alone at the end. */
export const longest = [
  'test/faults/drills.test.ts',
  'test/faults/store-calls.test.ts',
  'test/bench/growth/operations.test.ts',
  'test/pages/accessibility.test.ts',
  'test/surfaces/oauth2/oauth2.test.ts',
  'test/surfaces/api-2/api-2.test.ts',
  'test/surfaces/pages/pages.test.ts',
  'test/faults/endings.test.ts',
  'test/faults/canary.test.ts',
  'test/faults/damage.test.ts',
  'test/faults/races.test.ts',
];

/**
 * Folders whose files share processes, with how many do: few enough for all processors to have work until the end. The
 * files of a surface do not, as each looks at all answers of its process. `test` has the files that are in no folder.
 */
const sharing: Readonly<Record<string, number>> = {
  ...{ adapters: 16, bench: 8, browser: 8, cli: 4, conformance: 8, contracts: 3, domain: 24, faults: 5 },
  ...{ 'hook-packages': 3, 'hook-runner': 8, http: 16, pages: 8, properties: 2, runtime: 16, scripts: 16, store: 16 },
  ...{ support: 8, test: 4 },
};

/** Such hooks would run at the wrong time among the tests of other files; such figures are of the whole process. */
const ofProcess = /^(?:before|beforeEach|afterEach)\(|\bprocess\.(?:cpuUsage|memoryUsage)\(/m;

function folderOf(file: string): string {
  const [outer = '', name = ''] = file.split('/', 2);
  return name.endsWith('.ts') ? outer : name;
}

function isShared(file: string): boolean {
  const mayShare = folderOf(file) in sharing && !longest.includes(file);
  return mayShare && !ofProcess.test(readFileSync(join(root, file), 'utf8'));
}

/** Divides test files, given by their paths in the repository, among processes. */
export function groupTests(files: readonly string[]): string[][] {
  const alone = files.filter((file) => !isShared(file));
  const [first, others] = [
    longest.filter((file) => alone.includes(file)),
    alone.filter((file) => !longest.includes(file)),
  ];
  const folders = Map.groupBy(files.filter(isShared), folderOf);
  const shared = [...folders].flatMap(([folder, ofFolder]) => {
    const count = Math.ceil(ofFolder.length / (sharing[folder] ?? 1));
    return Array.from({ length: count }, (_, index) => ofFolder.filter((_, at) => at % count === index));
  });
  return [...[...first, ...others].map((file) => [file]), ...shared];
}

/** Writes a file for each group, which runs its tests, into the folder. The runner takes them in the given order. */
export function writeGroups(groups: readonly (readonly string[])[], folder: string): string[] {
  return groups.map((files, index) => {
    const entry = join(folder, `${String(index).padStart(3, '0')}.test.mts`);
    writeFileSync(entry, files.map((file) => `import '${pathToFileURL(join(root, file))}';\n`).join(''));
    return entry;
  });
}
