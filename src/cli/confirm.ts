/** Asks before a command does what cannot be undone. */

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { printableValue } from '../adapters/printable.ts';

/** A command that was not confirmed, and changed nothing. */
export class Unconfirmed extends Error {
  readonly exitCode: 1 | 2;

  /** 2: it could not even be asked. */
  constructor(message: string, exitCode: 1 | 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

export interface Confirmable {
  readonly yes?: true;
  readonly json?: true;
}

/** Where a question is asked and answered. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean | undefined };
}

export function addYesOption(command: Command): Command {
  return command.option('--yes', 'do it without asking; required where nobody can be asked');
}

/**
 * Settles once it is confirmed that `deed`, a clause such as "the pair x is revoked", may happen. Throws `Unconfirmed`,
 * worded so that nobody takes the deed for done.
 */
export async function confirm(
  deed: string,
  { yes, json }: Confirmable,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (yes) return;
  const warning = `${printableValue(deed)}; this cannot be undone`;
  if (json || !input.isTTY || !output.isTTY) {
    throw new Unconfirmed(`nothing was changed; run it again with --yes to go on. Then ${warning}`, 2);
  }
  const lines = createInterface({ input, output, terminal: false });
  const closed = once(lines, 'close').then(() => '');
  const asked = new Promise<string>((resolve) => lines.question(`${warning}. Go on? [y/N] `, resolve));
  const answer = await Promise.race([asked, closed]);
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Unconfirmed('nothing was changed', 1);
}
