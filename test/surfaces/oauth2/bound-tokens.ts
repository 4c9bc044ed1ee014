/** Tokens that are bound to a key (RFC 9449), for the modules that test them. */

import assert from 'node:assert/strict';
import type { TestApp } from '../../support/app.ts';
import { askWithProof, type ProofKey } from '../../support/dpop.ts';
import { makeUser, registerClient, signInForCode } from '../../support/sign-in.ts';
import { codeForm } from './asking.ts';

/** A client without a secret. */
export const publicClient = { token_endpoint_auth_method: 'none' };

/** Tokens of a new user, bound to the key. */
export async function boundTokens(app: TestApp, key: ProofKey, metadata: object = publicClient) {
  const client = await registerClient(app, metadata);
  const user = await makeUser(app, client.app_id);
  const code = (await signInForCode(app, client, user)).get('code') ?? '';
  const answer = await askWithProof(app, client, key, codeForm(code));
  assert.equal(answer.status, 200, answer.text);
  return { client, user, answer, tokens: answer.body };
}
