/** The function of a hook: base64 on the wire and in the store, text where it runs. */

import { isUtf8 } from 'node:buffer';
import type { HookRunner } from './runner.ts';
import { invalid, longestFunction } from './values.ts';

/** RFC 4648 §4, with padding and nothing else: a lenient decoder would skip other characters. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The text of a stored function. */
export function sourceOf(encoded: string): string {
  return Buffer.from(encoded, 'base64').toString('utf8');
}

/** The function as sent, if it is valid. Throws `value_invalid`, with line and column for a syntax error. */
export function readFunction(runner: Pick<HookRunner, 'checkSyntax'>, encoded: string): string {
  const bytes = Buffer.from(encoded, 'base64');
  if (!base64.test(encoded) || bytes.toString('base64') !== encoded) throw invalid('function', 'must be base64');
  if (!isUtf8(bytes)) throw invalid('function', 'must be UTF-8 in base64');
  const source = bytes.toString('utf8');
  if ([...source].length > longestFunction) {
    throw invalid('function', `must have at most ${longestFunction} characters when decoded`);
  }
  const fault = source === '' ? null : runner.checkSyntax(source);
  if (fault) {
    throw invalid('function', `does not compile: line ${fault.line}, column ${fault.column}: ${fault.message}`);
  }
  return encoded;
}
