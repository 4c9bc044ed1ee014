/** Each flow leaves exactly its events, and none of them a secret. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { verifyTrail } from '../../../src/domain/audit/verify.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { changesTold } from './changes.ts';
import { managementTold } from './management.ts';
import { membershipsTold } from './memberships.ts';
import { registrationsTold } from './registrations.ts';
import { rolesAndAppsTold } from './roles-and-apps.ts';
import { secondFactorsTold } from './second-factors.ts';
import { signInsTold } from './sign-ins.ts';
import { tokensTold } from './tokens.ts';

for (const kind of sampledDatabases) {
  describe(`the trail records what happens on ${kind}`, () => {
    let app: TestApp | undefined;
    const current = (): TestApp => {
      assert.ok(app);
      return app;
    };
    before(async () => {
      app = await openTestApp(kind, { settings: { registration: 'open', 'grant.password': 'on' } });
    });
    after(() => app?.dispose());

    describe('sign-ins', () => signInsTold(current));
    describe('second factors', () => secondFactorsTold(current));
    describe('tokens', () => tokensTold(current));
    describe('changes', () => changesTold(current));
    describe('registrations', () => registrationsTold(current));
    describe('management', () => managementTold(current));
    describe('roles and apps', () => rolesAndAppsTold(current));
    describe('memberships', () => membershipsTold(current));

    it('all events form one chain', async () => {
      const { services, account } = current();
      const { verified, events } = await verifyTrail(services, account);
      assert.equal(verified, true);
      assert.ok(events > 50, `${events} events`);
    });
  });
}
