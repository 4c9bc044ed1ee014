/** Invite links, requested as an integration does. */

import assert from 'node:assert/strict';
import type { TestApp } from './app.ts';

export const goodPassword = 'seven brown bears at tea';
export const chosen = { new_password: goodPassword, new_password_confirmation: goodPassword };

/** A link for the user, from the call of version 1; its path and query. */
export async function newInvite(app: TestApp, email: string | null): Promise<string> {
  const headers = { authorization: `Bearer ${await app.bearer('manage_all')}` };
  const answer = await app.send('POST', '/api/1/invites/get_invite_link', { headers, json: { email } });
  assert.equal(answer.status, 200, answer.text);
  return pathOfLink(app, answer.body.data[0]);
}

/** The path of a link, which must lead to the account's own address. */
export function pathOfLink({ account }: TestApp, link: string): string {
  const [, path] = /^(\/password\/reset\?token=il_[\w-]{43})$/.exec(link.replace(account.baseUrl, '')) ?? [];
  assert.ok(path && link === account.baseUrl + path, link);
  return path;
}
