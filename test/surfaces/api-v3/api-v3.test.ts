import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { unseenStatuses } from '../../support/conforms.ts';
import { declareFaultCases } from '../../support/faults.ts';
import { unreadMembers } from '../../support/read-members.ts';
import { databases } from '../../support/stores.ts';
import { makeInviteLink } from './make-invite-link.ts';

for (const kind of databases) {
  describe(`invite links of version 3 on ${kind}`, () => {
    let opened: TestApp;
    before(async () => {
      opened = await openTestApp(kind);
    });
    after(() => opened.dispose());

    describe('POST /api/v3/invites/get_invite_link', () => makeInviteLink(() => opened));
  });

  declareFaultCases('api-v3', kind);
}

it('every documented status of api-v3 was seen', () => {
  assert.deepEqual(unseenStatuses('api-v3'), []);
});

it('every member of the request bodies of api-v3 was read by a handler', () => {
  assert.deepEqual(unreadMembers('api-v3'), []);
});
