/** The output of a run: kept in the isolate, limited in size, and returned once with the result. */

import { limits } from '../../protocol.ts';
import { format } from './format.ts';
import { inspect } from './inspect.ts';

type Level = 'INFO' | 'WARN' | 'ERROR';
type Line = readonly [at: number, level: Level, text: string];

const lines: Line[] = [];
let characters = 0;
let dropped = 0;
const { now } = Date;

function write(level: Level, text: string): void {
  const surplus = text.length - limits.lineCharacters;
  const kept = surplus > 0 ? `${text.slice(0, limits.lineCharacters)}... ${surplus} more characters` : text;
  if (lines.length >= limits.outputLines || characters + kept.length > limits.outputCharacters) {
    dropped += 1;
    return;
  }
  characters += kept.length;
  lines[lines.length] = [now(), level, kept];
}

/** Output beyond the limit is not formatted, so a loop that logs costs little. */
function writer(level: Level) {
  return (...values: unknown[]) => {
    if (lines.length >= limits.outputLines || characters >= limits.outputCharacters) dropped += 1;
    else write(level, format(...values));
  };
}

export function output(): { readonly lines: readonly Line[]; readonly dropped: number } {
  return { lines, dropped };
}

const info = writer('INFO');
const warn = writer('WARN');
const error = writer('ERROR');

export const console = {
  log: info,
  info,
  debug: info,
  dir: (value: unknown, options?: { readonly depth?: number }) => info(inspect(value, options)),
  warn,
  trace: (...values: unknown[]) => error('Trace:', ...values),
  error,
  assert: (condition: unknown, ...values: unknown[]) => {
    if (!condition) error(...(values.length > 0 ? ['Assertion failed:', ...values] : ['Assertion failed']));
  },
};
