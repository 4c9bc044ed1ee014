/** Reads what a process says of a run. All of it may be forged: shapes and sizes are checked, values copied. */

import type { HookError, HookOutputLine } from '../domain/hooks/runner.ts';
import { jsonDepth } from './depth.ts';
import { type GuestAnswer, limits } from './protocol.ts';

export interface Answer {
  /** JSON without members named `__proto__`; null when the function answered none that counts. */
  readonly value: string | null;
  readonly error: HookError | null;
  readonly output: readonly HookOutputLine[];
  readonly dropped: number;
}

export const emptyAnswer: Answer = { value: null, error: null, output: [], dropped: 0 };

/** A text that is cut off says how much of it is missing. */
const lineSlack = 64;

/** Null when it is not what a run writes. */
export function readAnswer(text: string | null): Answer | null {
  if (text === null) return emptyAnswer;
  try {
    const { value, error, output, dropped } = JSON.parse(text) as GuestAnswer;
    const lines = output.slice(0, limits.outputLines).map(readLine);
    const isCount = Number.isSafeInteger(dropped) && dropped >= 0;
    if (!isCount || lines.some((line) => line === null)) return null;
    const kept = fitting(lines as HookOutputLine[]);
    const read = { output: kept, dropped: dropped + lines.length - kept.length };
    if (error !== null) return { ...read, value: null, error: readError(error) };
    return { ...read, ...(value === null ? { value, error } : readValue(value)) };
  } catch {
    return null;
  }
}

function readError([name, message, stack]: readonly unknown[]): HookError {
  const read = { name: clip(name, 100), message: clip(message, limits.errorCharacters) };
  return stack === '' ? read : { ...read, stack: clip(stack, limits.lineCharacters) };
}

function clip(text: unknown, characters: number): string {
  return String(text).slice(0, characters);
}

function readLine(line: unknown): HookOutputLine | null {
  if (!Array.isArray(line)) return null;
  const [at, level, text] = line as [unknown, unknown, unknown];
  if (!Number.isSafeInteger(at) || typeof text !== 'string') return null;
  if (level !== 'INFO' && level !== 'WARN' && level !== 'ERROR') return null;
  return { at: at as number, level, text: text.slice(0, limits.lineCharacters + lineSlack) };
}

/** Those before the first one that is too much. */
function fitting(lines: readonly HookOutputLine[]): readonly HookOutputLine[] {
  let left = limits.outputCharacters;
  const tooMuch = lines.findIndex(({ text }) => {
    left -= text.length;
    return left < 0;
  });
  return tooMuch < 0 ? lines : lines.slice(0, tooMuch);
}

function readValue(text: string): Pick<Answer, 'value' | 'error'> {
  if (text.length > limits.valueCharacters)
    return refuse(`the answer is longer than ${limits.valueCharacters} characters`);
  if (jsonDepth(text) > limits.depth) return refuse(`the answer is deeper than ${limits.depth} levels`);
  const value: unknown = JSON.parse(text, (name, member: unknown) => (name === '__proto__' ? undefined : member));
  return { value: JSON.stringify(value), error: null };
}

function refuse(message: string): Pick<Answer, 'value' | 'error'> {
  return { value: null, error: { name: 'RangeError', message } };
}

/** Why a context is not handed to a function, or null. */
export function refuseContext(context: string): Answer | null {
  const { contextCharacters, depth } = limits;
  if (context.length > contextCharacters)
    return { ...emptyAnswer, ...refuse(`the context is longer than ${contextCharacters} characters`) };
  if (jsonDepth(context) > depth) return { ...emptyAnswer, ...refuse(`the context is deeper than ${depth} levels`) };
  return null;
}
