/**
 * Which test files share a process, and in which order the processes start. A process needs up to two seconds of the
 * processor until its first application answers, and as much again until the code that answers is compiled: small files
 * share both, and the files of a folder a browser.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** These take longest and start first: a long file that starts late runs on alone at the end. */
export const longest = [
  'test/surfaces/oauth2/oauth2.test.ts',
  'test/faults/drills.test.ts',
  'test/surfaces/pages/pages.test.ts',
  'test/surfaces/api-2/api-2.test.ts',
  'test/bench/growth/operations.test.ts',
  'test/faults/store-calls.test.ts',
];

/**
 * Folders whose files share processes, and how many do, those that take longest first: few enough for all processors to
 * have work until the end. `test` has the files that are in no folder.
 */
const sharing: readonly { readonly folders: readonly string[]; readonly most: number }[] = [
  { folders: ['domain'], most: 60 },
  // They wait for the browser, and the others work meanwhile.
  { folders: ['browser'], most: 12 },
  { folders: ['http', 'pages'], most: 48 },
  // So do these for servers and commands.
  { folders: ['faults'], most: 6 },
  { folders: ['store'], most: 32 },
  { folders: ['cli'], most: 7 },
  {
    folders: [
      ...['adapters', 'bench', 'deploy', 'examples', 'metrics', 'processes', 'programs', 'runtime', 'scripts'],
      ...['support', 'test', 'tracing', 'whole-program'],
    ],
    most: 32,
  },
  { folders: ['surfaces'], most: 16 },
  { folders: ['conformance'], most: 16 },
  { folders: ['contracts', 'properties'], most: 16 },
  { folders: ['hook-packages', 'hook-runner'], most: 16 },
];

/** Such hooks would run at the wrong time among the tests of other files; such figures are of the whole process. */
const ofProcess = /^(?:before|beforeEach|afterEach)\(|\bprocess\.(?:cpuUsage|memoryUsage)\(/m;

function folderOf(file: string): string {
  const [outer = '', name = ''] = file.split('/', 2);
  return name.endsWith('.ts') ? outer : name;
}

function isShared(file: string): boolean {
  const mayShare = sharing.some(({ folders }) => folders.includes(folderOf(file))) && !longest.includes(file);
  return mayShare && !ofProcess.test(readFileSync(join(root, file), 'utf8'));
}

/** Divides test files, given by their paths in the repository, among processes. */
export function groupTests(files: readonly string[]): string[][] {
  const alone = files.filter((file) => !isShared(file));
  const first = longest.filter((file) => alone.includes(file));
  const others = alone.filter((file) => !longest.includes(file));
  const small = files.filter(isShared);
  const shared = sharing.flatMap(({ folders, most }) => {
    const ofSet = small.filter((file) => folders.includes(folderOf(file)));
    const count = Math.ceil(ofSet.length / most);
    return Array.from({ length: count }, (_, index) => ofSet.filter((_, at) => at % count === index));
  });
  const single = (file: string) => [file];
  return [...first.map(single), ...shared, ...others.map(single)];
}

/**
 * Writes a file for each group, which runs its tests, into the folder. The runner takes them in the given order. They are
 * JavaScript: Node would load what strips types for them alone, all else being kept without them.
 */
export function writeGroups(groups: readonly (readonly string[])[], folder: string): string[] {
  return groups.map((files, index) => {
    const entry = join(folder, `${String(index).padStart(3, '0')}.test.mjs`);
    writeFileSync(entry, files.map((file) => `import '${pathToFileURL(join(root, file))}';\n`).join(''));
    return entry;
  });
}
