/** An export as the text of a file. */

import type { Services } from '../../../services.ts';
import type { Account } from '../../accounts/account.ts';
import { exportPeople, type ShownPerson } from './export.ts';
import type { PeopleFormat } from './formats.ts';
import { shownTexts } from './person.ts';

export interface ExportedFile {
  /** How many users there are as it begins. */
  readonly total: number;
  /** The beginning of the file. */
  readonly first: string;
  /** What follows. Whoever does not read to its end calls `return`. */
  readonly rest: AsyncGenerator<string, void, undefined>;
  /** Aborted where the file is to be cut off. */
  readonly lost: AbortSignal;
}

type Needed = Pick<Services, 'store' | 'clock' | 'vault' | 'peopleFiles'>;

/** All users, a few at a time. The trail says that they were read. Throws `unavailable` as `listUsersFrom` does. */
export async function exportFile(services: Needed, account: Account, format: PeopleFormat): Promise<ExportedFile> {
  const { csvHeading, toCsv, toJsonLines } = await services.peopleFiles();
  const attributes = (await services.store.attributes.list(account.id)).map(({ shortname }) => shortname);
  let total = 0;
  const { parts, lost } = exportPeople(services, account, (count) => {
    total = count;
  });
  const heading = format === 'csv' ? csvHeading(Object.keys(shownTexts), attributes) : '';
  const write = (people: readonly ShownPerson[]) =>
    format === 'csv' ? toCsv(people, attributes) : toJsonLines(people);
  const rest = textsOf(parts, heading, write);
  // So the total is known, and what fails before there is anything to send is thrown here.
  const { value: first } = await rest.next();
  return { total, first: first ?? heading, rest, lost };
}

async function* textsOf(
  parts: AsyncIterable<readonly ShownPerson[]>,
  heading: string,
  write: (people: readonly ShownPerson[]) => string,
): AsyncGenerator<string, void, undefined> {
  let before = heading;
  for await (const people of parts) {
    yield before + write(people);
    before = '';
  }
}
