/** A function's output as log lines: the same form in the records, the test run and the command line. */

import { inspect } from 'node:util';
import type { InvalidAnswer } from './answers.ts';
import { replaceAll } from './replace-all.ts';
import type { HookRunResult } from './runner.ts';

const mostLines = 900;
const longestLine = 16_384;
const mask = '****';
/** A text of this length may have been cut in the middle of a secret. */
const cutLength = 4_000;
const leastCut = 8;

/** Masks secrets in texts: as they are, and as `console` and JSON write them inside other values. */
export type Masking = (text: string) => string;

export function maskingOf(secrets: readonly string[]): Masking {
  let known: readonly string[] | null = null;
  return (text) => {
    // Most runs write nothing.
    known ??= formsOf(secrets);
    const ordered = known;
    let masked = text;
    for (const form of ordered) masked = replaceAll(masked, form, mask);
    return text.length < cutLength ? masked : withoutCut(masked, ordered);
  };
}

/** Longest first: one secret may be a part of another. */
function formsOf(secrets: readonly string[]): readonly string[] {
  const forms = new Set(
    secrets
      .filter((secret) => secret !== '')
      .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), inspect(secret).slice(1, -1)]),
  );
  return [...forms].sort((one, other) => other.length - one.length);
}

/** Masks the beginning of a secret at the end of a text, whatever marks say that it was cut there. */
function withoutCut(text: string, forms: readonly string[]): string {
  let end = text.length;
  while (end > 0 && '….'.includes(text.charAt(end - 1))) end -= 1;
  for (const form of forms) {
    const at = text.lastIndexOf(form.slice(0, leastCut));
    if (form.length > leastCut && at >= 0 && form.startsWith(text.slice(at, end))) return text.slice(0, at) + mask;
  }
  return text;
}

/** `<ISO time>\t<run>\t<level>\t<text>`; text after a line feed goes on a line of its own. */
function linesOf(runId: string, at: number, level: string, text: string): string[] {
  const [first = '', ...more] = text.split('\n');
  const shown = [`${new Date(at).toISOString()}\t${runId}\t${level}\t${first}`, ...more];
  return shown.map((line) => line.slice(0, longestLine));
}

/** A line that the service itself adds. */
export function noteLine(runId: string, at: number, level: 'WARN' | 'ERROR', text: string): string {
  return linesOf(runId, at, level, text)[0] ?? '';
}

/** What is wrong with an answer that means nothing. */
export function faultLine(runId: string, at: number, { fault }: InvalidAnswer): string {
  return noteLine(runId, at, 'ERROR', `invalid_result: ${fault}`);
}

/** All lines of a run: output, the error that ended it, and how many lines were dropped. */
export function outputLines(
  runId: string,
  { output, error, dropped }: Pick<HookRunResult, 'output' | 'error' | 'dropped'>,
  endedAt: number,
  masking: Masking,
): { readonly lines: readonly string[]; readonly dropped: number } {
  const written = output.flatMap(({ at, level, text }) => linesOf(runId, readTime(at, endedAt), level, masking(text)));
  const thrown = error
    ? linesOf(runId, endedAt, 'ERROR', masking(error.stack ?? `${error.name}: ${error.message}`))
    : [];
  const all = [...written.slice(0, mostLines), ...thrown.slice(0, 20)];
  const lost = dropped + Math.max(0, written.length - mostLines) + Math.max(0, thrown.length - 20);
  const note = lost > 0 ? [noteLine(runId, endedAt, 'WARN', `${lost} lines dropped`)] : [];
  return { lines: [...all, ...note], dropped: lost };
}

/** Times come from the function's side: an invalid one is replaced by the end of the run. */
function readTime(at: number, endedAt: number): number {
  return Number.isFinite(at) && Math.abs(at) < 8.64e15 ? at : endedAt;
}
