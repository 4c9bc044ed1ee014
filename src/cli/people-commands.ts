import { closeSync, createReadStream, openSync, statSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Command } from 'commander';
import { fileFaultOf, fileFaults, writingFaults } from '../adapters/file-faults.ts';
import { Failure } from '../domain/failure.ts';
import { exportFile } from '../domain/users/people/export-file.ts';
import { type PeopleFormat, peopleFormats } from '../domain/users/people/formats.ts';
import { importPeople } from '../domain/users/people/import.ts';
import type { ImportOptions } from '../domain/users/people/import-run.ts';
import { existingChoices, type LineOutcome } from '../domain/users/people/line.ts';
import { personMembers } from '../domain/users/people/person.ts';
import { readFile } from '../domain/users/people/read-file.ts';
import { type Answer, accountOption, addCommand, type Outlet } from './command.ts';
import { describeError } from './errors.ts';
import { fields, table } from './output.ts';
import { withProgress } from './progress.ts';
import { withAccount } from './session.ts';

interface ImportCall {
  readonly account: string;
  readonly format?: string;
  readonly existing: string;
  readonly dryRun?: true;
  readonly report?: string;
  readonly json?: true;
}

/** Failed lines in the answer; a report has all of them. */
const shownFailures = 20;

const importHelp = `
A line is a person, in CSV below a line with the names of the columns. Members: ${personMembers.join(', ')};
in CSV roles are names with commas between them, and an attribute is a column custom_attributes.<short name>. Passwords
are hashes with a password_algorithm. An empty cell leaves a member as it is; in JSON, null clears it.
Nothing of a line that fails is stored. If an import is interrupted, run it again: by default people who are there are
skipped. Exit code 1 says that lines failed.`;

const exportHelp = `
Passwords are not exported. In CSV an apostrophe stands before what a spreadsheet would take for a formula; an import
takes it away.`;

export function addPeopleCommands(group: Command, outlet: Outlet): void {
  addCommand<ImportCall>(group, 'import <file>', 'create users from a file', outlet, ({ args, options }) =>
    importFile(args[0] as string, options),
  )
    .requiredOption(...accountOption)
    .option('--format <format>', `${peopleFormats.join(' or ')}; by default what the file's name ends in`)
    .option('--existing <choice>', `what is done to a user who exists: ${existingChoices.join(', ')}`, 'skip')
    .option('--dry-run', 'try every line and keep nothing')
    .option('--report <file>', 'write the outcome of each line to a new file, as JSON')
    .addHelpText('after', importHelp);
  addCommand<{ account: string; format: string }>(
    group,
    'export',
    'write all users to standard output',
    outlet,
    async ({ options }) => {
      await exportTo(outlet, options.account, readChoice('format', options.format, peopleFormats));
      return null;
    },
  )
    .requiredOption(...accountOption)
    .option('--format <format>', peopleFormats.join(' or '), 'csv')
    .addHelpText('after', exportHelp);
}

function readChoice<Choice extends string>(name: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw new Failure('value_invalid', { name, message: `${name} must be one of ${choices.join(', ')}` });
}

function formatOf(file: string, format: string | undefined): PeopleFormat {
  if (format !== undefined) return readChoice('format', format, peopleFormats);
  const ending = /\.(csv|ndjson|jsonl)$/.exec(file)?.[1];
  if (ending !== undefined) return ending === 'csv' ? 'csv' : 'ndjson';
  const message = `${file} ends in neither .csv nor .ndjson: name its format with --format`;
  throw new Failure('value_invalid', { name: 'format', message });
}

/** Throws `value_invalid` for a file that cannot be opened; `makes` says that it must be a new one. */
function opened(file: string, makes: boolean): number {
  try {
    return openSync(file, makes ? 'wx' : 'r', 0o600);
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const reason = isTaken
      ? 'already exists; name a new file'
      : `cannot be opened: ${fileFaultOf(error, makes ? writingFaults : fileFaults)}`;
    throw new Failure('value_invalid', { name: 'file', message: `${file} ${reason}` }, { cause: error });
  }
}

async function importFile(file: string, call: ImportCall): Promise<Answer> {
  const format = formatOf(file, call.format);
  const options: ImportOptions = {
    existing: readChoice('existing', call.existing, existingChoices),
    dryRun: call.dryRun === true,
    authority: 'all',
    rest: nextTurn,
  };
  const stream = createReadStream(file, { fd: opened(file, false) });
  const { size } = statSync(file);
  let report: number | null = null;
  try {
    return await withAccount(call.account, (services, account) =>
      withProgress({ json: call.json === true }, async (progress) => {
        if (call.report !== undefined) report = opened(call.report, true);
        const tally: Tally = { counts: { created: 0, updated: 0, skipped: 0, failed: 0 }, failures: [] };
        progress.stage(options.dryRun ? 'trying' : 'importing', size);
        const rows = await readFile(services, account, format, stream);
        for await (const outcomes of importPeople(services, account, rows, options)) {
          addTo(tally, outcomes);
          if (report !== null) writeSync(report, outcomes.map((one) => `${JSON.stringify(represent(one))}\n`).join(''));
          progress.done(stream.bytesRead);
        }
        return answerOf(tally, options.dryRun);
      }),
    );
  } finally {
    stream.destroy();
    if (report !== null) closeSync(report);
  }
}

interface Tally {
  readonly counts: Record<LineOutcome['result'], number>;
  /** The first of them. */
  readonly failures: LineOutcome[];
}

function addTo({ counts, failures }: Tally, outcomes: readonly LineOutcome[]): void {
  for (const outcome of outcomes) {
    counts[outcome.result] += 1;
    if (outcome.failure && failures.length < shownFailures) failures.push(outcome);
  }
}

function represent({ line, result, userId, failure }: LineOutcome) {
  return { line, result, user_id: userId, ...(failure && describe(failure)) };
}

function describe(failure: Failure) {
  const { error, message } = describeError(failure);
  return { error, message };
}

function answerOf({ counts, failures }: Tally, dryRun: boolean): Answer {
  const shown = failures.map(represent);
  const rows = failures.map(({ line, failure }) => [line, failure && describe(failure).message]);
  const more = counts.failed - failures.length;
  const isEmpty = Object.values(counts).every((count) => count === 0);
  const empty = isEmpty ? 'the file has no users\n' : '';
  const list = failures.length === 0 ? empty : table(['line', 'why it failed'], rows);
  return {
    json: { dry_run: dryRun, ...counts, failures: shown },
    text: `${list}${more > 0 ? `${more} more lines failed: --report <file> names all of them\n` : ''}${fields(counts)}`,
    exitCode: counts.failed > 0 ? 1 : 0,
  };
}

/** Each part is written before the next is read. */
async function exportTo(outlet: Outlet, subdomain: string, format: PeopleFormat): Promise<void> {
  await withAccount(subdomain, async (services, account) => {
    const { first, rest } = await exportFile(services, account, format);
    try {
      if (!(await outlet.write(first))) return;
      for await (const text of rest) if (!(await outlet.write(text))) return;
    } finally {
      // Also when nobody reads what comes first.
      await rest.return();
    }
  });
}
