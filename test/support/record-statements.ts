/**
 * Keeps the text of every statement that this process sends to PostgreSQL, once, for `account-statements.ts` to judge.
 * Loaded with `--import` into test files and into the servers and commands that they start.
 */

import { createHash } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { accountPositions } from './account-positions.ts';

/** The variable that names a folder for the statements of a run. */
export const statementsVariable = 'GATEHOUSE_TEST_STATEMENTS';

/** The variable that names this module in JavaScript, as `writeRecorder` wrote it. */
export const recorderVariable = 'GATEHOUSE_TEST_RECORDER';

/**
 * Writes this module and what it imports into the folder and answers its address. What Node keeps of compiled sources
 * is not open yet when it loads such a module, so that each server and command would load what strips its types.
 */
export async function writeRecorder(folder: string): Promise<string> {
  const { transform } = await import('esbuild');
  for (const name of ['record-statements', 'account-positions']) {
    const source = readFileSync(new URL(`./${name}.ts`, import.meta.url), 'utf8');
    const { code } = await transform(source, { loader: 'ts', format: 'esm' });
    writeFileSync(join(folder, `${name}.mjs`), code.replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.mjs"'));
  }
  return pathToFileURL(join(folder, 'record-statements.mjs')).href;
}

/** What makes a process that is started with such an environment record as well; nothing where this one does not. */
export function recordingEnvironment(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const folder = process.env[statementsVariable];
  if (folder === undefined || !env['DATABASE_URL']?.startsWith('postgres')) return {};
  const module = process.env[recorderVariable] ?? import.meta.url;
  return { [statementsVariable]: folder, NODE_OPTIONS: `--import=${module}` };
}

interface Connection {
  query(...given: unknown[]): unknown;
}

/** The positions of accounts in each text that was seen. */
const seen = new Map<string, readonly number[]>();

function keep(folder: string, text: string, ending: string): void {
  const name = createHash('sha256').update(text).digest('hex');
  try {
    writeFileSync(join(folder, `${name}.${ending}`), text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function note(folder: string, text: string, values: readonly unknown[]): void {
  let positions = seen.get(text);
  if (!positions) {
    positions = accountPositions(text);
    seen.set(text, positions);
    keep(folder, text, 'sent');
  }
  const [first, ...others] = positions;
  const account = first === undefined ? undefined : String(values[first - 1]);
  if (others.some((position) => String(values[position - 1]) !== account)) keep(folder, text, 'differ');
}

/** Migrations and nothing else take this lock: they go through all accounts, while nothing else runs. */
const migrationBegins = /\bpg_advisory_xact_lock\b/;
const transactionEnds = /^\s*(commit|rollback)\s*;?\s*$/i;

function watch(folder: string, connection: Connection): void {
  const query = connection.query.bind(connection);
  let migrates = false;
  connection.query = (...given) => {
    const [asked, values] = given as [string | { text?: string; values?: unknown[] }, unknown[]?];
    const text = typeof asked === 'string' ? asked : asked.text;
    if (text !== undefined) {
      if (migrationBegins.test(text)) migrates = true;
      else if (transactionEnds.test(text)) migrates = false;
      if (!migrates && /^\s*(select|update|delete|with|insert|merge)\b/i.test(text)) {
        note(folder, text, (typeof asked === 'string' ? values : asked.values) ?? []);
      }
    }
    return query(...given);
  };
}

const folder = process.env[statementsVariable];
if (folder !== undefined) {
  subscribe('gatehouse:postgres-connection', (connection) => watch(folder, connection as Connection));
}
