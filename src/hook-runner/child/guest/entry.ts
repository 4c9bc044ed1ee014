/**
 * What stands in each new context before a function comes: its end of the line to the process, and the run. The whole
 * is one script whose completion value is `enter`; the process alone holds it, by reference.
 */

import type { GuestInput } from '../../protocol.ts';
import { limits } from '../../protocol.ts';
import { output } from './console.ts';
import { defineProcess, furnish } from './globals.ts';
import { connect, settle } from './host.ts';
import { createRequire } from './modules.ts';

type Wrapped = (exports: object, require: unknown, module: object, file: string, folder: string) => void;
type Packages = Parameters<typeof createRequire>[0];

// A function may replace the built-ins; what it answers is put together with those that stood before it.
const { parse, stringify } = JSON;
const { isFinite: isFiniteNumber } = Number;

let error: readonly [name: string, message: string, stack: string] | null = null;
let value: string | null = null;

furnish();

/**
 * `start` runs the function and answers a promise; `settle` hands in what the host answers; `answer` what there is so
 * far.
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
    const { handler } = module.exports;
    if (typeof handler !== 'function') throw new TypeError('exports.handler is not a function');
    value = toJson(await handler(parse(context)));
  } catch (thrown) {
    note(thrown);
  }
  return answer();
}

/** Throws for what JSON cannot say, instead of saying something else. */
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
    // Its members throw in their turn.
  }
  error = [name.slice(0, 100), message.slice(0, limits.errorCharacters), frames.slice(0, limits.lineCharacters)];
}

/** A stack down to the function's own last frame: what is below is not the author's. */
function ownFrames(stack: string): string {
  const lines = stack.split('\n');
  const last = lines.findLastIndex((line) => line.includes('hook.js:'));
  return lines
    .slice(0, last + 1)
    .filter((line) => !line.includes('(gatehouse:'))
    .join('\n');
}

/** Written piece by piece: `toJSON` of a prototype that the function changed has no say in it. */
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
