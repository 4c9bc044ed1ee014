import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { basic, openTestApp, type TestApp } from '../../support/app.ts';
import { unseenStatuses } from '../../support/conforms.ts';
import { declareFaultCases } from '../../support/faults.ts';
import { newApiKey } from '../../support/legacy.ts';
import { unreadMembers } from '../../support/read-members.ts';
import { partsOn, runsOf, sampledDatabases } from '../../support/sample.ts';
import { databases } from '../../support/stores.ts';
import { audit } from './audit.ts';
import { refusals } from './refusals.ts';
import { roundTrip } from './round-trip.ts';
import { transcripts } from './transcripts.ts';
import { users } from './users.ts';

/** Each takes several requests. */
const amounts = {
  sqlite: { creations: runsOf(80), changes: runsOf(30) },
  postgres: { creations: runsOf(30), changes: runsOf(10) },
} as const;

for (const kind of databases) {
  describe(`users as XML on ${kind}`, () => {
    const part = partsOn(kind);
    let opened: TestApp;
    const app = () => opened;
    before(async () => {
      // Limits have accounts of their own.
      opened = await openTestApp(kind, { settings: { 'limit.xml': 'off', 'limit.api-2': 'off' } });
    });
    after(() => opened.dispose());

    part('the operations', () => users(app, kind));
    part('callers, media types, limits', () => refusals(app));
    part('the audit trail', () => audit(app));
    part('the same members in XML and JSON', () => roundTrip(app, amounts[kind]));
  });

  if (sampledDatabases.includes(kind)) transcripts(kind);
  declareFaultCases('xml', kind, async (app) => basic((await newApiKey(app)).key, 'x'));
}

it('every documented status of xml was seen', () => {
  assert.deepEqual(unseenStatuses('xml'), []);
});

it('every member of the request bodies of xml was read by a handler', () => {
  assert.deepEqual(unreadMembers('xml'), []);
});
