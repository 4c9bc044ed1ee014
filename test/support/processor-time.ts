/**
 * Notes the processor time of this process and of the programs that it started and waited for, when it ends, in the
 * folder that the variable names: for `node scripts/test.ts --times`.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export const timesVariable = 'GATEHOUSE_TEST_TIMES';

/** Of Linux, in which `/proc` counts the time of ended children. */
const ticksPerSecond = 100;

interface Noted {
  readonly entry: string;
  readonly own: number;
  readonly programs: number;
}

/** What `/proc` says of a process: its own seconds, and those of the programs that it started and waited for. */
function secondsOf(pid: number | string): readonly [own: number, programs: number] {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    // Fields 14 to 17 of proc_pid_stat(5); the third one comes first here.
    const [user = 0, system = 0, ofPrograms = 0, systemOfPrograms = 0] = fields.split(' ').slice(11, 15).map(Number);
    return [(user + system) / ticksPerSecond, (ofPrograms + systemOfPrograms) / ticksPerSecond];
  } catch {
    return [0, 0];
  }
}

/** Of a program and all that it started; without Linux nothing is known. */
export function secondsOfTree(pid: number): number {
  const [own, ended] = secondsOf(pid);
  return childrenOf(pid).reduce((sum, child) => sum + secondsOfTree(child), own + ended);
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

const folder = process.env[timesVariable];
if (folder !== undefined) {
  process.once('exit', () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    const noted: Noted = {
      entry: process.argv[1] ?? '',
      own: (userCPUTime + systemCPUTime) / 1e6,
      programs: secondsOf('self')[1],
    };
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(noted));
  });
}

/**
 * A table of what the processes of test files noted, the longest first. `filesOf` says what is in a group; `database`
 * is what PostgreSQL took.
 */
export function tableOfTimes(from: string, filesOf: (entry: string) => readonly string[], database: number): string {
  const noted = readdirSync(from).map((name): Noted => JSON.parse(readFileSync(join(from, name), 'utf8')));
  const rows = noted.sort((one, other) => other.own + other.programs - one.own - one.programs);
  const lines = rows.map(({ entry, own, programs }) => {
    const names = filesOf(entry).map((file) => basename(file, '.test.ts'));
    return `${own.toFixed(1).padStart(7)} ${programs.toFixed(1).padStart(9)}  ${names.join(' ')}`;
  });
  const sum = (of: (one: Noted) => number) => rows.reduce((total, one) => total + of(one), 0).toFixed(1);
  const total = `${sum(({ own }) => own).padStart(7)} ${sum(({ programs }) => programs).padStart(9)}  all`;
  const ofDatabase = `${''.padStart(7)} ${database.toFixed(1).padStart(9)}  PostgreSQL`;
  return ['Seconds of the processor', '    own  programs  files', ...lines, total, ofDatabase, ''].join('\n');
}
