/** The function of a hook: base64 on the wire and in the store, text where it runs. */

import { isUtf8 } from 'node:buffer';
import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { second } from '../durations.ts';
import { Failure } from '../failure.ts';
import { retryAfterSeconds } from '../fair-queue/turns.ts';
import { mostCompileMilliseconds, type SyntaxVerdict } from './runner.ts';
import { inSyntaxTurn } from './syntax-turns.ts';
import { invalid, longestFunction } from './values.ts';

/** RFC 4648 §4, with padding and nothing else: a lenient decoder would skip other characters. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The text of a stored function. */
export function sourceOf(encoded: string): string {
  return Buffer.from(encoded, 'base64').toString('utf8');
}

/** A text as it is sent and stored. */
export function encodeSource(source: string): string {
  return Buffer.from(source, 'utf8').toString('base64');
}

/**
 * The function as sent, if it is valid. Throws `value_invalid`, with line and column for a syntax error, and
 * `unavailable` when it could not be checked.
 */
export async function readFunction(
  services: Pick<Services, 'hooks'>,
  account: Pick<Account, 'id'>,
  encoded: string,
): Promise<string> {
  const bytes = Buffer.from(encoded, 'base64');
  if (!base64.test(encoded) || bytes.toString('base64') !== encoded) throw invalid('function', 'must be base64');
  if (!isUtf8(bytes)) throw invalid('function', 'must be UTF-8 in base64');
  const source = bytes.toString('utf8');
  if ([...source].length > longestFunction) {
    throw invalid('function', `must have at most ${longestFunction} characters when decoded`);
  }
  if (source !== '') accept(await inSyntaxTurn(services, account, source));
  return encoded;
}

function accept(verdict: SyntaxVerdict): void {
  if (verdict.says === 'error') {
    const { line, column, message } = verdict;
    throw invalid('function', `does not compile: line ${line}, column ${column}: ${message}`);
  }
  if (verdict.says === 'too_slow') {
    throw invalid('function', `takes longer than ${mostCompileMilliseconds / second} seconds to compile`);
  }
  if (verdict.says === 'unavailable') {
    throw new Failure('unavailable', { retryAfterSeconds, reason: 'no process could check the syntax of a function' });
  }
}
