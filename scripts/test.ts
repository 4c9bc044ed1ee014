/**
 * Runs the tests beside one real PostgreSQL, which is started for them and stopped after them in every case, and one
 * SQLite database to copy. A fast run has the latter alone.
 *
 *     node scripts/test.ts                               all of them
 *     node scripts/test.ts test/x.test.ts                those files
 *     node scripts/test.ts test/surfaces/oauth2/dpop.ts  the tests of that module, by the files that run it
 *     node scripts/test.ts --test-name-pattern=refresh   flags of `node --test` are passed on
 *     node scripts/test.ts --fast                        what needs no browser, no other program and no PostgreSQL
 *     node scripts/test.ts --times                       prints the processor time of each process at the end
 *     node scripts/test.ts --groups=0,14                 the files that share these processes, counted from 0
 *
 * Where files or flags are given and nothing ran, that is a failure.
 */
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeWhole } from '../src/whole-program/make.ts';
import { findCrossings } from '../test/support/account-statements.ts';
import { actionsVariable, compareActions } from '../test/support/actions.ts';
import { alwaysAnswered, answeredVariable } from '../test/support/answered.ts';
import { foldersVariable } from '../test/support/cli.ts';
import { fastFolder } from '../test/support/fast-folder.ts';
import { onlyVariable } from '../test/support/only-these.ts';
import { plansVariable } from '../test/support/plans.ts';
import { serverVariable, startPostgres } from '../test/support/postgres.ts';
import { tableOfTimes, timesVariable } from '../test/support/processor-time.ts';
import { recorderVariable, statementsVariable, writeRecorder } from '../test/support/record-statements.ts';
import { pairVariable, writeSharedPair } from '../test/support/shared-pair.ts';
import { databasesVariable, emptyDatabases, migratedFile, migratedVariable } from '../test/support/stores.ts';
import { openWay } from './open-way.ts';
import { runGroup } from './run-group.ts';
import { fastTests, type Selection, selectTests } from './select-tests.ts';
import { groupTests, writeGroups } from './test-groups.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const flags = [
  '--test',
  // More than the two cores of the smallest machine that this is meant for: many tests wait for processes and disks.
  '--test-concurrency=8',
  // Of one process: nothing that waits for what never comes holds the run up for ever. Under a load of 20 the longest
  // takes a quarter of this.
  '--test-timeout=3600000',
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  `--test-reporter=${new URL('../test/support/count-tests.ts', import.meta.url)}`,
  '--unhandled-rejections=strict',
  '--throw-deprecation',
  `--import=${new URL('../test/support/untracked-promises.ts', import.meta.url)}`,
  `--import=${new URL('../test/support/only.ts', import.meta.url)}`,
  `--import=${new URL('../test/support/processor-time.ts', import.meta.url)}`,
  `--import=${new URL('../test/support/record-statements.ts', import.meta.url)}`,
];

// Each file is a process that loads the same sources: what Node made of them is kept.
const cacheFolder = process.env['NODE_COMPILE_CACHE'] ?? join(root, '.cache/tests');

/** What is kept there is run: nobody else may write there. */
function closeCache(): void {
  mkdirSync(cacheFolder, { recursive: true });
  chmodSync(cacheFolder, 0o700);
}

/** Has one process fill the cache where there is none: eight that start at once would each do all of the work. */
async function fillCache(): Promise<void> {
  if (existsSync(cacheFolder)) return closeCache();
  closeCache();
  const module = JSON.stringify(new URL('../test/support/app.ts', import.meta.url));
  await runGroup(process.execPath, ['--eval', `import(${module}).then(() => process.exit())`], {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: cacheFolder },
    stdio: 'inherit',
  });
}

/** Runs `node --test` to its end and gives its exit status. */
function runTests(args: readonly string[], databases: Readonly<Record<string, string>>): Promise<number> {
  return runGroup(process.execPath, [...flags, ...args], {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: cacheFolder, ...databases },
    stdio: 'inherit',
  });
}

/** After all tests: each action that the contract of events lists was seen, and no other. */
function checkActions(folder: string): void {
  const { unseen, unknown } = compareActions(folder);
  if (unseen.length === 0 && unknown.length === 0) return;
  process.stderr.write(`Actions that no test made happen: ${unseen.join(', ') || 'none'}\n`);
  process.stderr.write(`Actions that the contract does not list: ${unknown.join(', ') || 'none'}\n`);
  process.exitCode ||= 1;
}

/** After all tests: the contracts require every member that is always answered. */
function checkAnswered(folder: string): void {
  const members = alwaysAnswered(folder);
  if (members.length === 0) return;
  process.stderr.write(`Members that every answer had and no contract requires:\n${members.join('\n')}\n`);
  process.exitCode ||= 1;
}

/** After all tests: each statement on PostgreSQL stayed with one account, or is on the list. */
async function checkStatements(folder: string): Promise<void> {
  const found = await findCrossings(folder, await emptyDatabases.postgres());
  if (found.length === 0) return;
  process.stderr.write(
    `Statements that leave their account (test/support/expected-crossings.ts):\n${found.join('\n')}\n`,
  );
  process.exitCode ||= 1;
}

const given = process.argv.slice(2);
const isFast = given.includes('--fast');
const named = given.filter((arg) => !arg.startsWith('-'));
const { files, only } = named.length > 0 ? selectOrExit(named) : { files: [], only: [] };
const isTimed = given.includes('--times');
const [, groupsGiven] = /^--groups=([\d,]+)$/m.exec(given.join('\n')) ?? [];
const passedOn = given.filter((arg) => arg.startsWith('-') && !/^--(?:fast|times|groups=.*)$/.test(arg));

function selectOrExit(names: readonly string[]): Selection {
  try {
    return selectTests(names);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}

const folder = mkdtempSync(join(fastFolder(), 'gatehouse-migrated-'));
// Command lines and servers start from it, as those of operators do. It takes longer than the few of named files.
const filled = Promise.all([fillCache(), isFast || named.length > 0 || makeWhole()]);
const server = isFast ? null : startPostgres(fastFolder());
if (server) process.env[serverVariable] = server.url;
const way = server && (await openWay(server.url));
try {
  await filled;
  const plans = join(folder, 'plans');
  const actions = join(folder, 'actions');
  const groups = join(folder, 'groups');
  const answered = process.env[answeredVariable] ?? join(folder, 'answered');
  const times = join(folder, 'times');
  const statements = join(folder, 'statements');
  for (const made of [plans, actions, groups, answered, times, statements]) mkdirSync(made, { recursive: true });
  const databases = {
    ...(server ? { [serverVariable]: server.url } : { [databasesVariable]: 'sqlite' }),
    [migratedVariable]: await migratedFile(folder),
    [pairVariable]: await writeSharedPair(folder),
    [plansVariable]: plans,
    [actionsVariable]: actions,
    ...(server && { [statementsVariable]: statements, [recorderVariable]: await writeRecorder(folder) }),
    [answeredVariable]: answered,
    [foldersVariable]: fastFolder(),
    ...(isTimed && { [timesVariable]: times }),
    ...way?.variables,
    ...(only.length > 0 && { [onlyVariable]: only.join('\n') }),
  };
  const counted = join(folder, 'counted');
  const args = [`--test-reporter-destination=${counted}`, ...passedOn];
  const all = isFast ? fastTests() : globSync('test/**/*.test.ts', { cwd: root }).toSorted();
  const chosen = groupsGiven?.split(',').map(Number);
  const grouped = groupTests(all).filter((_, index) => chosen?.includes(index) ?? true);
  const entries = files.length > 0 ? files : writeGroups(grouped, groups);
  process.exitCode = await runTests([...args, ...entries], databases);
  // The runner writes none where it finds no file.
  if (!existsSync(counted) || Number(readFileSync(counted, 'utf8')) === 0) {
    process.stderr.write('No test ran.\n');
    process.exitCode = 1;
  }
  if (isTimed) {
    const filesOf = (entry: string) => grouped[entries.indexOf(entry)] ?? [entry];
    process.stdout.write(tableOfTimes(times, filesOf, server?.processorSeconds() ?? 0));
  }
  if (server) await checkStatements(statements);
  if (given.length === 0 || (isTimed && given.length === 1)) {
    checkActions(actions);
    checkAnswered(answered);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
  await way?.close();
  await server?.stop();
}
