/** Whether an answer is the refusal of what is wrong. */

import assert from 'node:assert/strict';
import type { Answer } from '../support/conforms.ts';
import { readForm } from '../support/sign-in.ts';
import type { Faulty } from './apply-fault.ts';

/** Asserts a refusal that names what is wrong, where no standard fixes its words. */
export function assertRefused({ says, status }: Faulty, answer: Answer): void {
  if (status !== undefined) assert.equal(answer.status, status, 'the request was not refused by this status');
  // Delegated authentication refuses with 200 (the document's §7).
  if (answer.text.startsWith('<response><authenticated>false<')) return;
  const told = toldClient(answer);
  assert.ok((answer.status >= 400 && answer.status < 500) || told?.has('error'), 'the request was not refused');
  if (says === null || hasFixedWords(answer)) return;
  const words = told ? (told.get('error_description') ?? '') : answer.text;
  const isSaid = typeof says === 'string' ? words.includes(says) : says.test(words);
  assert.ok(isSaid, `the refusal does not say ${says}`);
}

/** Whether a page of the account, or a sign-in under way, sends its browser to sign in. */
export function asksForSignIn({ status, headers }: Answer): boolean {
  return status === 303 && /^\/(?:continue|sign-in)\?request=/.test(String(headers['location'] ?? ''));
}

/**
 * RFC 6749 §4.1.2.1: what the client may be told is told at its redirect URI, by the response mode that it asked for.
 */
function toldClient({ status, headers, text }: Answer): URLSearchParams | undefined {
  const isForm = status === 200 && String(headers['content-type'] ?? '').startsWith('text/html');
  if (isForm) return new URLSearchParams(readForm(text).fields);
  const location = status === 303 ? URL.parse(String(headers['location'] ?? ''), 'http://localhost') : null;
  return location?.hash ? new URLSearchParams(location.hash.slice(1)) : location?.searchParams;
}

/** Errors whose words the standards and contracts fix, and pages that name no state before the right password. */
const fixedErrors = new Set([
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'invalid_scope',
  'invalid_token',
]);
const fixedWords = new RegExp(
  [
    '^Resource not found$|^Access is unauthorized|^Authentication Failed$|^Authentication Failure$',
    '^The resource with the given id could not be found$|^The request requires user authentication\\.$',
    '^Email Parameter is missing$|^No User exists for input email$',
    '^One of these scopes is required: |^Expected array in request$',
  ].join('|'),
);

/** Of users as XML: an id that none can have is an unknown one. */
const unknownInXml = '<error>Not found</error>';
/** A character that no document can hold has a place and no name. */
const unreadableXml = /<error>the body is not valid XML at line \d+, column \d+: a character that is not allowed</;

function hasFixedWords({ status, body, headers, text }: Answer): boolean {
  const words = body?.error_description ?? body?.status?.message ?? body?.message ?? '';
  const isPage = String(headers['content-type'] ?? '').startsWith('text/html');
  if (status === 404 && text.includes(unknownInXml)) return true;
  if (status === 400 && unreadableXml.test(text)) return true;
  const isKeyError = text.includes('<code>invalid_or_missing_api_key</code>');
  const namesNothing = isPage && [401, 403, 410].includes(status);
  return fixedErrors.has(body?.error) || fixedWords.test(words) || namesNothing || isKeyError;
}
