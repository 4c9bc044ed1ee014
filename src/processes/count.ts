/** How many processes a service has. */

import { availableParallelism, totalmem } from 'node:os';
import { Failure } from '../domain/failure.ts';

const mostProcesses = 256;
/** Memory that a process should have, without its hooks: `auto` starts no more than fit. */
const bytesOfProcess = 256 * 1024 * 1024;

interface Machine {
  readonly cores: number;
  /** Bytes. */
  readonly memory: number;
}

/** Both are what a control group allows, where one allows less than the machine has. */
export function thisMachine(): Machine {
  const allowed = process.constrainedMemory();
  return { cores: availableParallelism(), memory: allowed > 0 ? Math.min(allowed, totalmem()) : totalmem() };
}

/** Reads `--processes`. Throws `value_invalid` for what is no number of processes, or too many for the database. */
export function countProcesses(text: string, databaseUrl: string, machine: Machine = thisMachine()): number {
  const isSqlite = databaseUrl.startsWith('sqlite:');
  if (text === 'auto') {
    return isSqlite ? 1 : Math.max(1, Math.min(machine.cores, Math.floor(machine.memory / bytesOfProcess)));
  }
  const count = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > mostProcesses) {
    throw refuse(`--processes must be auto or a whole number from 1 to ${mostProcesses}`);
  }
  if (isSqlite && count > 1) {
    throw refuse(
      `--processes ${count} needs PostgreSQL: on SQLite one process writes, and others would wait for it at each commit; ` +
        'use --processes 1, or move to PostgreSQL (docs/move-to-postgresql.md)',
    );
  }
  return count;
}

function refuse(message: string): Failure {
  return new Failure('value_invalid', { name: 'processes', message });
}

/** Which of how many processes one is, from 1; written `2/4`. */
export interface Place {
  readonly number: number;
  readonly of: number;
}

/** On the command line of a process. */
export function writePlace({ number, of }: Place): readonly string[] {
  return ['--process', `${number}/${of}`];
}

export function readPlace(text: string): Place {
  const [, number = '', of = ''] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  return { number: Number(number), of: Number(of) };
}
