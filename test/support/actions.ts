/**
 * Which actions of the trail the tests have seen. Each test file notes what is in its databases when it is done with
 * them, and the run of all tests holds that against the contract: an action that nothing writes any more is found, and
 * one that no test makes happen.
 */

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomes } from '../../src/domain/audit/events.ts';
import { ask } from './rows.ts';

/** The variable that names a folder to the test files of one run. */
export const actionsVariable = 'GATEHOUSE_TEST_ACTIONS';

/** The actions in this database; none where a test has left no table of events, or nothing that can be read. */
async function actionsIn(url: string): Promise<readonly unknown[]> {
  try {
    return (await ask(url, 'select distinct action from events')).map(({ action }) => action);
  } catch {
    return [];
  }
}

/** Notes the actions in this database for the run; nothing in a file that is run by itself. */
export async function noteActions(url: string): Promise<void> {
  const folder = process.env[actionsVariable];
  if (folder === undefined) return;
  // A file for each: files of tests run at the same time.
  for (const action of await actionsIn(url)) writeFileSync(join(folder, String(action)), '');
}

export interface ActionDifference {
  /** Of the contract, and in no database. */
  readonly unseen: readonly string[];
  /** In a database, and not of the contract. */
  readonly unknown: readonly string[];
}

/** What the test files noted in this folder, against what the contract lists. */
export function compareActions(folder: string): ActionDifference {
  const seen = readdirSync(folder);
  return {
    unseen: Object.keys(outcomes).filter((action) => !seen.includes(action)),
    unknown: seen.filter((action) => !Object.hasOwn(outcomes, action)),
  };
}
