import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { unseenStatuses } from '../../support/conforms.ts';
import { declareFaultCases } from '../../support/faults.ts';
import { unreadMembers } from '../../support/read-members.ts';
import { partsOn } from '../../support/sample.ts';
import { databases } from '../../support/stores.ts';
import { issueCredentialToken } from './issue-credential-token.ts';
import { issueCredentialTokenRefusals } from './issue-credential-token-refusals.ts';
import { readRateLimit } from './read-rate-limit.ts';
import { revokeCredentialToken } from './revoke-credential-token.ts';

for (const kind of databases) {
  describe(`tokens for API credentials on ${kind}`, () => {
    const part = partsOn(kind);
    let opened: TestApp;
    const app = () => opened;
    before(async () => {
      // Limits have accounts of their own.
      opened = await openTestApp(kind, { settings: { 'limit.client-auth': 'off' } });
    });
    after(() => opened.dispose());

    part('POST /auth/oauth2/v2/token', () => issueCredentialToken(app));
    part('POST /auth/oauth2/v2/token: refusals', () => issueCredentialTokenRefusals(app));
    part('POST /auth/oauth2/revoke', () => revokeCredentialToken(app));
    part('GET /auth/rate_limit', () => readRateLimit(app));
  });

  declareFaultCases('auth-2', kind);
}

it('every documented status of auth-2 was seen', () => {
  assert.deepEqual(unseenStatuses('auth-2'), []);
});

it('every member of the request bodies of auth-2 was read by a handler', () => {
  assert.deepEqual(unreadMembers('auth-2'), []);
});
