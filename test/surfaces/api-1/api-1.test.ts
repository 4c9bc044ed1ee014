import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { unseenStatuses } from '../../support/conforms.ts';
import { declareFaultCases } from '../../support/faults.ts';
import { unreadMembers } from '../../support/read-members.ts';
import { databases } from '../../support/stores.ts';
import { createInviteLink } from './create-invite-link.ts';

for (const kind of databases) {
  describe(`invite links of version 1 on ${kind}`, () => {
    let opened: TestApp;
    before(async () => {
      opened = await openTestApp(kind);
    });
    after(() => opened.dispose());

    describe('POST /api/1/invites/get_invite_link', () => createInviteLink(() => opened));
  });

  declareFaultCases('api-1', kind);
}

it('every documented status of api-1 was seen', () => {
  assert.deepEqual(unseenStatuses('api-1'), []);
});

it('every member of the request bodies of api-1 was read by a handler', () => {
  assert.deepEqual(unreadMembers('api-1'), []);
});
