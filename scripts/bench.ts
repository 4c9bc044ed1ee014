/**
 * The benchmarks, side by side with their peers in alternating rounds of one run. Exit 1 when a promise was missed.
 *
 *     npm run bench                full, about 20 minutes
 *     npm run bench -- --quick     the refresh exchange, registration and client credentials, up to 90 seconds
 *     npm run bench -- --hooks     the runs of hooks alone; with --quick fewer of them
 *     npm run bench -- --json      one JSON array on standard output; what goes on is told on standard error
 *     npm run bench -- --write     full, and writes docs/performance.md
 *     npm run bench -- --lists     the lists of users alone
 *     npm run bench -- --postgres  refreshes on PostgreSQL alone, beside their floor; with --quick fewer rounds
 *     npm run bench -- --documents clients with a metadata document alone
 *     npm run bench -- --scale     what a refresh costs with several processes, by part, beside what the model of
 *                                  docs/scale.md predicts; with --write kept for --simulate
 *     npm run bench -- --simulate  what the model predicts for larger machines and for many, from what was kept
 *     npm run bench -- --sizing    what so many users need (--users=1000000), by that model and by what requests take:
 *                                  --sign-ins, --refreshes, --introspections, --userinfos and --client-tokens for a
 *                                  user and day, --peak the share of a day in its busiest hour, --cores of a machine;
 *                                  with --write requests are measured on this machine first, and kept
 *     npm run bench -- --floors    what each request costs beside its floor and beside peers, and nothing else; up to
 *                                  6 minutes; with --quick fewer rounds, up to 3; --database=postgres: there
 *     npm run bench -- --slow-disk refreshes and registrations on a disk that takes 2 ms for a flush, and nothing else;
 *                                  no part of a full run; two and a half minutes
 *     npm run bench -- --log-streams what open streams of log lines cost, and nothing else; half a minute
 *     npm run bench -- --console   the first screen of the console in a browser whose processor is slowed; a minute
 *     npm run bench -- --growth    each operation of the contracts with 1,000 and with 300,000 users, up to 25 minutes;
 *                                  --users=N another size, --database=sqlite or postgres one of both, --only=<regexp>
 *                                  the operations whose names match, --filled=<folder> keeps the filled databases
 *                                  there, and the next run takes them; with --write into docs/performance.md
 *     npm run bench -- --profile   where the CPU time of one refresh goes, and nothing else; --database=postgres: there;
 *                                  --request=userinfo or another kind of requests: of that one
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openBench } from '../test/bench/bench.ts';
import { makePrograms } from '../test/bench/gatehouse.ts';
import { fewUsers, type GrowthPlan, measureGrowth } from '../test/bench/growth/measure.ts';
import { growthReport, growthSection, holdsAll, sectionOf, withSection } from '../test/bench/growth/report.ts';
import type { Line } from '../test/bench/lines.ts';
import { promises } from '../test/bench/lines.ts';
import { describeMachine } from '../test/bench/machine.ts';
import { measureAll } from '../test/bench/measure-all.ts';
import { measureConsole } from '../test/bench/measure-console.ts';
import { measureDocuments } from '../test/bench/measure-documents.ts';
import { measureFloorsAlone } from '../test/bench/measure-floors.ts';
import { measureHooks } from '../test/bench/measure-hooks.ts';
import { measureLists } from '../test/bench/measure-lists.ts';
import { measurePostgresAlone } from '../test/bench/measure-postgres.ts';
import { measureScale } from '../test/bench/measure-scale.ts';
import { measureSlowDisk } from '../test/bench/measure-slow-disk.ts';
import { measureStreams } from '../test/bench/measure-streams.ts';
import { fullPlan, quickPlan } from '../test/bench/plan.ts';
import { profileRequest } from '../test/bench/profile.ts';
import { type Results, reportJson, reportPage, reportText } from '../test/bench/report.ts';
import { isRequestKind, requestKinds } from '../test/bench/requests.ts';
import type { Measurements } from '../test/bench/scale/fit.ts';
import { comparisonReport, predictionReport } from '../test/bench/scale/report.ts';
import { keepRequestTimes, printSizing, sizingFlags } from './bench-sizing.ts';

const databases = ['sqlite', 'postgres'] as const;
const page = new URL('../docs/performance.md', import.meta.url);
const measuredFile = new URL('../test/bench/scale/measured.json', import.meta.url);
const template = new URL('../test/bench/performance.md', import.meta.url);

function readFlags() {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const text = { type: 'string' } as const;
    const growth = { growth: flag, users: { ...text, default: '300000' }, database: text, only: text, filled: text };
    const options = {
      quick: flag,
      hooks: flag,
      json: flag,
      write: flag,
      profile: flag,
      request: { ...text, default: 'refresh' },
      lists: flag,
      documents: flag,
      postgres: flag,
      floors: flag,
      'slow-disk': flag,
      scale: flag,
      simulate: flag,
      sizing: flag,
      ...sizingFlags,
      'log-streams': flag,
      console: flag,
      ...growth,
    };
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return process.exit(2);
  }
}

const {
  quick,
  hooks,
  json,
  write,
  profile: profileOnly,
  request,
  lists: listsOnly,
  documents: documentsOnly,
  postgres: postgresOnly,
  floors: floorsOnly,
  'slow-disk': slowDisk,
  scale,
  simulate,
  sizing,
  'log-streams': logStreams,
  console: consoleOnly,
  growth,
  users,
  database,
  only,
  filled,
  ...asked
} = readFlags();
const databaseAlone = database === 'postgres' ? database : 'sqlite';
const isPart = quick || hooks || listsOnly || documentsOnly || postgresOnly || floorsOnly || slowDisk;
if (isPart && write && !scale && !sizing) {
  process.stderr.write(
    'docs/performance.md is written from a full run: --write goes with none of --quick, --hooks, --lists, --documents, ' +
      '--postgres, --floors, --slow-disk\n',
  );
  process.exit(2);
}

function readGrowthPlan(): GrowthPlan {
  const asked = databases.filter((one) => one === (database ?? one));
  if (!(Number(users) >= fewUsers) || asked.length === 0) {
    process.stderr.write(`--users is a number from ${fewUsers} on, --database one of ${databases.join(', ')}\n`);
    process.exit(2);
  }
  const named = { only: new RegExp(only ?? ''), filled: filled ?? null };
  return { users: Math.floor(Number(users)), databases: asked, ...named };
}

if (simulate) {
  const measurements = JSON.parse(readFileSync(measuredFile, 'utf8')) as Measurements;
  process.stdout.write(`${comparisonReport(measurements)}\n\n${predictionReport(measurements)}\n`);
  process.exit(0);
}

if (sizing && !write) process.exit(printSizing(users, asked));

makePrograms();
const startedAt = performance.now();
const bench = openBench(quick ? quickPlan : fullPlan, (line) => {
  process.stderr.write(`${String(Math.round((performance.now() - startedAt) / 1000)).padStart(4)} s  ${line}\n`);
});
if (profileOnly) {
  if (!isRequestKind(request)) {
    process.stderr.write(`--request is one of ${requestKinds.join(', ')}\n`);
    process.exit(2);
  }
  process.stdout.write(`${await profileRequest(bench, databaseAlone, request)}\n`);
  process.exit(0);
}
if (sizing) {
  process.stdout.write(await keepRequestTimes(bench));
  process.exit(0);
}
if (scale) {
  const { tables, measurements } = await measureScale(bench);
  bench.close();
  if (write) writeFileSync(measuredFile, `${JSON.stringify(measurements, null, 2)}\n`);
  process.stdout.write(`${tables}\n\n${comparisonReport(measurements)}\n`);
  process.exit(0);
}
if (logStreams || consoleOnly) {
  const { text, isKept } = await (logStreams ? measureStreams : measureConsole)(bench.log);
  bench.close();
  process.stdout.write(`${text}\n`);
  process.exit(isKept ? 0 : 1);
}
if (growth) {
  const grew = await measureGrowth(readGrowthPlan(), bench.log);
  bench.close();
  if (write) writeFileSync(page, withSection(readFileSync(page, 'utf8'), growthSection(grew)));
  process.stdout.write(`${growthReport(grew)}\n`);
  process.exit(grew.every(holdsAll) ? 0 : 1);
}
const machine = describeMachine(bench.folder);
const order = Object.keys(promises);
function measureAsked(): Promise<Line[]> {
  if (hooks) return measureHooks(bench.plan.hooks, bench.log);
  if (listsOnly) return measureLists(bench);
  if (documentsOnly) return measureDocuments(bench);
  if (postgresOnly) return measurePostgresAlone(bench);
  if (slowDisk) return measureSlowDisk(bench);
  return floorsOnly ? measureFloorsAlone(bench, databaseAlone) : measureAll(bench, quick);
}

const lines = (await measureAsked()).toSorted((a, b) => order.indexOf(a.line) - order.indexOf(b.line));
const results: Results = { machine, lines, series: [...bench.series] };
if (write) {
  const parts = { profile: await profileRequest(bench), growth: sectionOf(readFileSync(page, 'utf8')) };
  writeFileSync(page, reportPage(readFileSync(template, 'utf8'), results, parts));
}
bench.close();
process.stdout.write(json ? `${reportJson(lines)}\n` : `${reportText(results)}\n`);
// What a server left open is not waited for.
process.exit(lines.every(({ holds }) => holds !== false) ? 0 : 1);
