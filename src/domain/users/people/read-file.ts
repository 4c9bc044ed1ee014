import type { Services } from '../../../services.ts';
import type { Account } from '../../accounts/account.ts';
import { attributeIdsOf } from '../user-input.ts';
import { requireColumns } from './columns.ts';
import type { PeopleFormat } from './formats.ts';
import type { FileRow } from './person.ts';

/** The lines of a file. They throw `value_invalid` with the name `file` for what breaks the file, and not one line. */
export async function readFile(
  { peopleFiles, store }: Pick<Services, 'peopleFiles' | 'store'>,
  account: Pick<Account, 'id'>,
  format: PeopleFormat,
  bytes: AsyncIterable<Uint8Array>,
): Promise<AsyncGenerator<FileRow>> {
  const { readCsv, readJsonLines } = await peopleFiles();
  if (format === 'ndjson') return readJsonLines(bytes);
  const attributes = await attributeIdsOf(store, account);
  return readCsv(bytes, (columns) => requireColumns(columns, attributes));
}
