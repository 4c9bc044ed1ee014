/**
 * The long drills of the security design: races, kills, floods and timing, with their figures. Exit 1 when one does
 * not hold.
 *
 *     npm run drill                       all of them, with all their rounds
 *     npm run drill -- --list             what there is, by its id
 *     npm run drill -- T1 L5 --rounds 50  those, with so many rounds
 *     npm run drill -- --json             one JSON array on standard output; what goes on is told on standard error
 *     npm run drill -- mutants            whether a test dies of each condition that is taken away, in copies of the tree
 *     npm run drill -- mutants code proof those whose ids begin so; `--list` and `--json` as above
 */
import { parseArgs } from 'node:util';
import { makeWhole } from '../src/whole-program/make.ts';
import type { Drill } from '../test/faults/drill.ts';
import { loadDrills } from '../test/faults/load-drills.ts';
import { drillMutants } from '../test/mutants/drill-mutants.ts';

interface Report {
  readonly id: string;
  readonly title: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly figures: Readonly<Record<string, number | string>>;
  /** Whether the service is as promised. */
  readonly holds: boolean;
}

async function runDrill({ id, title, rounds: allRounds, run }: Drill, given: number | undefined): Promise<Report> {
  const rounds = given ?? allRounds;
  const startedAt = performance.now();
  process.stderr.write(`${id}  ${title}, rounds: ${rounds}\n`);
  const { figures, holds } = await run({ rounds, log: (line) => process.stderr.write(`    ${line}\n`) });
  return { id, title, rounds, seconds: Math.round((performance.now() - startedAt) / 1000), figures, holds };
}

function describe({ id, figures, holds, seconds }: Report): string {
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  const lines = Object.entries(figures).map(([name, value]) => `    ${name.padEnd(width)}  ${value}\n`);
  return `${lines.join('')}${id}  ${holds ? 'holds' : 'DOES NOT HOLD'} (${seconds} s)\n\n`;
}

/** Ends the process with a word on how it is called. */
function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { list: { type: 'boolean' }, rounds: { type: 'string' }, json: { type: 'boolean' } },
    });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

const { positionals: ids, values } = readArguments();
if (ids[0] === 'mutants') process.exit(await drillMutants(ids.slice(1), values));
const drills = await loadDrills();
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) refuse('--rounds takes a whole number above 0');
const unknown = ids.filter((id) => !drills.some((drill) => drill.id === id.toUpperCase()));
if (unknown.length > 0) {
  refuse(`no drill is called ${unknown.join(', ')}; there are ${drills.map(({ id }) => id).join(', ')}`);
}

if (values.list) {
  for (const { id, title, rounds: all } of drills) process.stdout.write(`${id.padEnd(4)} ${title}, rounds: ${all}\n`);
  process.exit(0);
}

// Its servers start from it, as those of operators do.
await makeWhole();
const reports: Report[] = [];
for (const drill of drills) {
  if (ids.length > 0 && !ids.some((id) => id.toUpperCase() === drill.id)) continue;
  const report = await runDrill(drill, rounds);
  reports.push(report);
  if (!values.json) process.stdout.write(describe(report));
}
if (values.json) process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
// What a drill left open, such as a database that ends with this process, is not waited for.
process.exit(reports.every(({ holds }) => holds) ? 0 : 1);
