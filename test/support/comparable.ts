import { passkeyOptionsOf } from './passkeys.ts';
import { readForm, type Walk } from './sign-in.ts';

/** A sign-in page without what belongs to this one request: ids, form token, challenge, what was typed. */
export function comparable({ answer }: Walk, username: string) {
  const { request = '', csrf = '' } = readForm(answer.text).fields;
  const { 'x-request-id': id, date: _date, ...headers } = answer.headers;
  const text = answer.text
    .replaceAll(request, 'REQUEST')
    .replaceAll(csrf, 'CSRF')
    .replaceAll(passkeyOptionsOf(answer.text).challenge, 'CHALLENGE')
    .replaceAll(username, 'USERNAME')
    .replaceAll(String(id), 'ID');
  return { status: answer.status, headers, text, length: answer.text.length };
}
