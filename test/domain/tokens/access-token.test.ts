/** What ends an access token: each thing by itself, where at the doors one ending brings another along. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isActive } from '../../../src/domain/tokens/access-token.ts';
import type { AccessTokenRecord, AccessTokenStanding, GrantRecord } from '../../../src/store/grants.ts';
import type { TokenUser } from '../../../src/store/users.ts';
import { hour, now } from '../../store/samples.ts';

const token = { userId: 1, issuedAt: now, expiresAt: now + hour, revokedAt: null } as AccessTokenRecord;
const grant = { revokedAt: null } as GrantRecord;
const user = { status: 1, signedOutAt: null } as TokenUser;

const isActiveNow = (changes: object, at = now + 1) =>
  isActive({ token, grant, user, assigned: true, ...changes } as AccessTokenStanding, at);

it("a user's token is valid until it expires or is revoked", () => {
  assert.ok(isActiveNow({}));
  assert.ok(isActiveNow({}, now + hour - 1));
  assert.ok(!isActiveNow({}, now + hour));
  assert.ok(!isActiveNow({ token: { ...token, revokedAt: now } }));
});

it("a user's token requires a live grant and an active user with the app and without a later sign-out everywhere", () => {
  assert.ok(!isActiveNow({ grant: { revokedAt: now } }));
  assert.ok(!isActiveNow({ grant: null }));
  for (const status of [0, 2, 3, 4, 5, 7]) assert.ok(!isActiveNow({ user: { ...user, status } }), String(status));
  assert.ok(!isActiveNow({ user: null }));
  assert.ok(!isActiveNow({ assigned: false }));
  assert.ok(isActiveNow({ user: { ...user, signedOutAt: now } }));
  assert.ok(!isActiveNow({ user: { ...user, signedOutAt: now + 1 } }));
});

it("a client's own token has no user and no grant", () => {
  const own = { token: { ...token, userId: null }, grant: null, user: null, assigned: false };
  assert.ok(isActiveNow(own));
  assert.ok(!isActiveNow(own, now + hour));
});
