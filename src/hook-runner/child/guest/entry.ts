/**
 * Set up in each new context before a function runs: the context's end of the channel to the process, and the run. It
 * is one script whose completion value is `enter`; only the process holds a reference to it.
 */

import type { GuestInput, GuestLoading } from '../../protocol.ts';
import { limits } from '../../protocol.ts';
import { output } from './console.ts';
import { defineProcess, furnish } from './globals.ts';
import { connect, settle } from './host.ts';
import { createRequire } from './modules.ts';

type Wrapped = (exports: object, require: unknown, module: object, file: string, folder: string) => void;
type Packages = Parameters<typeof createRequire>[0];

// A function may replace built-ins; its answer is assembled with the originals, saved here.
const { parse, stringify } = JSON;
const { keys } = Object;
const { isFinite: isFiniteNumber } = Number;

let error: readonly [name: string, message: string, stack: string] | null = null;
let value: string | null = null;

furnish();

/**
 * `start` runs the function and returns a promise; `settle` passes in an answer from the host; `answer` returns the
 * output so far.
 */
export function enter(step: string, ...values: unknown[]): unknown {
  if (step === 'start') return start(...(values as Parameters<typeof start>));
  if (step === 'settle') return settle(values[0] as number, values[1] as string);
  return answer();
}

async function start(
  input: string,
  call: Parameters<typeof connect>[0],
  post: Parameters<typeof connect>[1],
  wrapped: Wrapped,
  packages: Packages,
  nodeMajor: number,
): Promise<string> {
  connect(call, post);
  const { context, variables } = parse(input) as GuestInput;
  defineProcess(variables, `${nodeMajor}.0.0`);
  try {
    const module = { exports: {} as { handler?: unknown } };
    wrapped.call(module.exports, module.exports, createRequire(packages), module, 'hook.js', '.');
    if (context === null) {
      value = stringify(describeExports(module.exports));
      return answer();
    }
    const { handler } = module.exports;
    if (typeof handler !== 'function')
      throw new TypeError('exports.handler is not a function: write exports.handler = async (context) => { … }');
    value = toJson(await handler(parse(context)));
  } catch (thrown) {
    note(thrown);
  }
  return answer();
}

/** Of whatever a module may have put in place of its exports. */
function describeExports(exports: unknown): GuestLoading {
  const isFunction = typeof exports === 'function';
  if (!isFunction && (typeof exports !== 'object' || exports === null)) return { hasHandler: false, exported: [] };
  const hasHandler = typeof (exports as { handler?: unknown }).handler === 'function';
  if (hasHandler || isFunction) return { hasHandler, exported: null };
  const names = keys(exports as object).slice(0, limits.exportedNames);
  return { hasHandler, exported: names.map((name) => name.slice(0, limits.exportedCharacters)) };
}

/** Throws for values that JSON cannot represent instead of changing them. */
function toJson(result: unknown): string {
  const text = stringify(result, (_, member: unknown) => {
    if (typeof member === 'number' && !isFiniteNumber(member)) throw new TypeError(`the answer contains ${member}`);
    return member;
  });
  if (text === undefined) return 'null';
  if (text.length > limits.valueCharacters) {
    throw new RangeError(`the answer is longer than ${limits.valueCharacters} characters`);
  }
  return text;
}

function note(thrown: unknown): void {
  let name = 'Error';
  let message = 'something that cannot be read was thrown';
  let frames = '';
  try {
    if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) {
      const { name: given, message: said, stack } = thrown as { name: unknown; message: unknown; stack: unknown };
      name = `${given}`;
      message = `${said}`;
      frames = ownFrames(`${stack ?? ''}`);
    } else message = String(thrown);
  } catch {
    // Reading its members may throw as well.
  }
  error = [name.slice(0, 100), message.slice(0, limits.errorCharacters), frames.slice(0, limits.lineCharacters)];
}

/** The stack down to the function's outermost frame; frames below are not the author's code. */
function ownFrames(stack: string): string {
  const lines = stack.split('\n');
  const last = lines.findLastIndex((line) => line.includes('hook.js:'));
  return lines
    .slice(0, last + 1)
    .filter((line) => !line.includes('(gatehouse:'))
    .join('\n');
}

/** Serialized piece by piece, so that a `toJSON` the function put on a prototype has no effect. */
function answer(): string {
  const { lines, dropped } = output();
  let written = '';
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as (typeof lines)[number];
    written += `${index === 0 ? '' : ','}[${line[0]},${stringify(line[1])},${stringify(line[2])}]`;
  }
  const failure = error === null ? 'null' : `[${stringify(error[0])},${stringify(error[1])},${stringify(error[2])}]`;
  const said = value === null ? 'null' : stringify(value);
  return `{"value":${said},"error":${failure},"output":[${written}],"dropped":${dropped}}`;
}
