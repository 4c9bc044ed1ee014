import type { Command } from 'commander';
import { Failure } from '../domain/failure.ts';

/** A command's answer: for scripts, and for people. */
export interface Answer {
  readonly json: unknown;
  readonly text: string;
  /** Default: 0. */
  readonly exitCode?: number;
}

/** Arguments and options of one call. */
export interface Call<Options> {
  readonly args: readonly unknown[];
  readonly options: Options;
}

/** The output of a command. */
export interface Outlet {
  answer(answer: Answer, asJson: boolean): void;
  /** Writes a part of an answer that is too long to keep in memory. False when nobody is reading any more. */
  write(text: string): Promise<boolean>;
}

/**
 * Adds a command with one answer; the program's option `--json` selects the format. `work` returns null when it has
 * written everything itself.
 */
export function addCommand<Options>(
  parent: Command,
  usage: string,
  summary: string,
  outlet: Outlet,
  work: (call: Call<Options>) => Promise<Answer | null>,
): Command {
  const command = parent.command(usage).summary(summary).description(summary);
  return command.action(async () => {
    const options = command.optsWithGlobals<Options & { json?: true }>();
    const answer = await work({ args: command.processedArgs, options });
    if (answer) outlet.answer(answer, options.json === true);
  });
}

/** A command that only groups others. */
export function addGroup(parent: Command, name: string, summary: string): Command {
  return parent.command(name).summary(summary).description(summary);
}

/** Collects an option that may be given several times. */
export function collect(value: string, former: readonly string[] = []): readonly string[] {
  return [...former, value];
}

/** The option that names the account. */
export const accountOption = ['--account <subdomain>', 'the account'] as const;

export interface OfAccount {
  readonly account: string;
}

/** The number of a row. Throws `value_invalid` naming `name`. */
export function readId(name: string, text: string): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (id >= 1 && id < 2 ** 31) return id;
  throw new Failure('value_invalid', { name, message: `${name} must be a whole number from 1 to ${2 ** 31 - 1}` });
}

const mostSecretBytes = 4096;

/** A secret from the command line, or with `-` from the first line of standard input, which no process list shows. */
export async function readSecret(name: string, text: string): Promise<string> {
  if (text !== '-') return text;
  let given = Buffer.alloc(0);
  for await (const chunk of process.stdin) {
    given = Buffer.concat([given, chunk as Buffer]);
    if (given.length > mostSecretBytes) throw new Failure('value_invalid', { name, message: `${name} is too long` });
    if (given.includes('\n')) break;
  }
  return given.toString('utf8').split(/\r?\n/, 1)[0] ?? '';
}
