/**
 * Which optional members of answers the tests have seen left out. Each test file notes what it saw at its end, and the
 * run of all tests holds that against the contracts: a member that every answer has is required, and says so.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The variable that names a folder to the test files of one run. */
export const answeredVariable = 'GATEHOUSE_TEST_ANSWERED';

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly items?: unknown;
}

/** The schema at a pointer of a contract, with its own pointer where a reference leads elsewhere. */
export type Resolve = (pointer: string) => readonly [pointer: string, schema: unknown];

const folder = process.env[answeredVariable];
/** Optional members by schema, `<surface> <pointer> <member>`: whether an answer was without it. */
const seen = new Map<string, boolean>();

if (folder !== undefined) {
  // A file for each process: files of tests run at the same time.
  process.once('exit', () => writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify([...seen])));
}

/** Notes which optional members of the schema at `pointer` this value has; nothing in a file that is run by itself. */
export function noteAnswer(surface: string, resolve: Resolve, pointer: string, value: unknown): void {
  if (folder === undefined || typeof value !== 'object' || value === null) return;
  const [at, schema] = resolve(pointer);
  const { properties = {}, required = [], items } = schema as Schema;
  if (Array.isArray(value)) {
    if (items !== undefined) for (const item of value) noteAnswer(surface, resolve, `${at}/items`, item);
    return;
  }
  for (const name of Object.keys(properties)) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    const key = `${surface} ${at} ${name}`;
    if (!required.includes(name)) seen.set(key, seen.get(key) === true || member === undefined);
    noteAnswer(surface, resolve, `${at}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, member);
  }
}

/** Members that no noted answer was without, though the contract lets them be left out. */
export function alwaysAnswered(noted: string): readonly string[] {
  const all = new Map<string, boolean>();
  for (const file of readdirSync(noted)) {
    const entries = JSON.parse(readFileSync(join(noted, file), 'utf8')) as [string, boolean][];
    for (const [key, wasLeftOut] of entries) all.set(key, all.get(key) === true || wasLeftOut);
  }
  return [...all].flatMap(([key, wasLeftOut]) => (wasLeftOut ? [] : [key])).sort();
}
