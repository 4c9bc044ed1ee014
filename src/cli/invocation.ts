/** What one call of the command line said for all commands: how to answer, and where settings are. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { printableValue } from '../adapters/printable.ts';
import { type Config, readConfig } from '../config.ts';

interface Invocation {
  readonly json: boolean;
  /** Of `--env-file`, once it is read. */
  envFile?: string | undefined;
}

const current = new AsyncLocalStorage<Invocation>();

export function asInvocation<Result>(invocation: Invocation, work: () => Result): Result {
  return current.run(invocation, work);
}

export function chooseEnvFile(file: string | undefined): void {
  const invocation = current.getStore();
  if (invocation) invocation.envFile = file;
}

/** The settings of this call. Throws `ConfigMistakes`. */
export function readSettings(): Config {
  return readConfig(undefined, current.getStore()?.envFile);
}

/** A line for people on standard error, beside the answer; nothing with `--json`. */
export function note(text: string): void {
  if (current.getStore()?.json === false) process.stderr.write(`${printableValue(text)}\n`);
}
