import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { unseenStatuses } from '../../support/conforms.ts';
import { declareFaultCases } from '../../support/faults.ts';
import { unreadMembers } from '../../support/read-members.ts';
import { partsOn } from '../../support/sample.ts';
import { databases } from '../../support/stores.ts';
import { deprecation } from './deprecation.ts';
import { refusals } from './refusals.ts';
import { transcripts } from './transcripts.ts';

for (const kind of databases) {
  describe(`delegated authentication on ${kind}`, () => {
    const part = partsOn(kind);
    let opened: TestApp;
    const app = () => opened;
    before(async () => {
      opened = await openTestApp(kind);
    });
    after(() => opened.dispose());

    part('GET /api/v1/delegated_auth: transcripts', () => transcripts(app));
    part('GET /api/v1/delegated_auth: refusals', () => refusals(app));
    part('a deprecated surface', () => deprecation(app));
  });

  declareFaultCases('api-v1', kind);
}

it('every documented status of api-v1 was seen', () => {
  assert.deepEqual(unseenStatuses('api-v1'), []);
});

it('every member of the request bodies of api-v1 was read by a handler', () => {
  assert.deepEqual(unreadMembers('api-v1'), []);
});
