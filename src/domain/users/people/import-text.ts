/** An import of a few lines, whose outcomes come together. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Services } from '../../../services.ts';
import type { Account } from '../../accounts/account.ts';
import { stackOf } from '../../describe.ts';
import { Failure } from '../../failure.ts';
import { restsBetween } from '../../paced.ts';
import type { PeopleFormat } from './formats.ts';
import { importPeople } from './import.ts';
import type { ImportOptions } from './import-run.ts';
import { inImportTurn } from './import-turns.ts';
import type { LineOutcome } from './line.ts';
import type { FileRow } from './person.ts';
import { readFile } from './read-file.ts';

const mostPeople = 500;
/** Read before others get a turn: one has up to 300 cells. */
const rowsAtOnce = 20;

/**
 * Between transactions it rests as long as the last one took, 50 ms at most: other requests get about half of the
 * processor, and of the database.
 */
const shareOfTime = 0.5;

interface TextImport extends Omit<ImportOptions, 'rest' | 'failureOfRest'> {
  readonly format: PeopleFormat;
  readonly content: string;
}

type Needed = Pick<Services, 'clock' | 'passwords' | 'vault' | 'store' | 'peopleFiles' | 'log'>;

/**
 * The outcome of each line. Throws `value_invalid`, before anything is stored, for a text that cannot be read whole, and
 * `unavailable` when too many imports are under way. What fails after lines were stored is an outcome of the others, so
 * that what was done is always told.
 */
export async function importText(
  services: Needed,
  account: Account,
  { format, content, ...options }: TextImport,
): Promise<readonly LineOutcome[]> {
  const rows = await readRows(services, account, format, content);
  const outcomes: LineOutcome[] = [];
  const all = {
    ...options,
    rest: restsBetween(shareOfTime),
    failureOfRest: (error: unknown) => failureOfRest(services, error),
  };
  await inImportTurn(services, account, async () => {
    for await (const some of importPeople(services, account, oneByOne(rows), all)) outcomes.push(...some);
  });
  return outcomes;
}

function failureOfRest({ log }: Pick<Services, 'log'>, error: unknown): Failure {
  if (error instanceof Failure && error.kind === 'caller') {
    return new Failure(error.code, { message: 'your right to import was taken or ran out; this line was not stored' });
  }
  if (error instanceof Failure && error.kind === 'rate') {
    return new Failure(error.code, { message: 'too many users got roles in this hour; this line was not stored' });
  }
  log.error('an import ended before its last line', { stack: stackOf(error) });
  const message = 'the service could not store this line now, or does not know whether it did: import it again';
  return new Failure('unavailable', { message }, { cause: error });
}

async function readRows(
  services: Pick<Services, 'peopleFiles' | 'store'>,
  account: Account,
  format: PeopleFormat,
  content: string,
): Promise<readonly FileRow[]> {
  const bytes = oneByOne([Buffer.from(content)]);
  const rows: FileRow[] = [];
  try {
    for await (const row of await readFile(services, account, format, bytes)) {
      if (rows.length === mostPeople) throw refused(`content has more than ${mostPeople} users`);
      rows.push(row);
      if (rows.length % rowsAtOnce === 0) await nextTurn();
    }
  } catch (error) {
    // What reads files names the file, which a call does not have.
    if (error instanceof Failure && error.detail.name === 'file') throw refused(error.detail.message ?? '');
    throw error;
  }
  return rows;
}

function refused(message: string): Failure {
  return new Failure('value_invalid', { name: 'content', message });
}

async function* oneByOne<Item>(items: readonly Item[]): AsyncGenerator<Item, void, undefined> {
  yield* items;
}
