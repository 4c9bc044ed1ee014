import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { unseenStatuses } from '../../support/conforms.ts';
import { declareFaultCases } from '../../support/faults.ts';
import { databases } from '../../support/stores.ts';
import { apiAuthorizations } from './api-authorizations.ts';
import { appAccess } from './app-access.ts';
import { appSecrets } from './app-secrets.ts';
import { apps } from './apps.ts';
import { callers } from './callers.ts';
import { credentials } from './credentials.ts';
import { customAttributes } from './custom-attributes.ts';
import { events } from './events.ts';
import { hookRules } from './hook-rules.ts';
import { hookTests } from './hook-tests.ts';
import { hookVariables } from './hook-variables.ts';
import { hooks } from './hooks.ts';
import { limits } from './limits.ts';
import { lists } from './lists.ts';
import { matrix } from './matrix.ts';
import { mfa } from './mfa.ts';
import { policies } from './policies.ts';
import { roleMembers } from './role-members.ts';
import { roles } from './roles.ts';
import { routing } from './routing.ts';
import { userFilters } from './user-filters.ts';
import { userImports } from './user-imports.ts';
import { userManagers } from './user-managers.ts';
import { userWrites } from './user-writes.ts';
import { users } from './users.ts';

for (const kind of databases) {
  describe(`management on ${kind}`, () => {
    let opened: TestApp;
    const app = () => opened;
    before(async () => {
      // Limits have accounts of their own.
      opened = await openTestApp(kind, {
        settings: { 'limit.api-2': 'off', 'limit.sign-in': 'off', 'limit.reset': 'off' },
      });
    });
    after(() => opened.dispose());

    describe('the matrix of operations', () => matrix(app));
    describe('callers and scopes', () => callers(app));
    describe('routing and bodies', () => routing(app));
    describe('the rate limit', () => limits(app));
    describe('lists', () => lists(app));
    describe('users', () => users(app));
    describe('writing users', () => userWrites(app));
    describe('imported passwords', () => userImports(app));
    describe('what manage_users may do', () => userManagers(app));
    describe('filters of users', () => userFilters(app));
    describe('roles', () => roles(app));
    describe('members and apps of roles', () => roleMembers(app));
    describe('apps', () => apps(app));
    describe('access to apps', () => appAccess(app));
    describe('secrets of apps', () => appSecrets(app));
    describe('credentials and API keys', () => credentials(app));
    describe('custom attributes', () => customAttributes(app));
    describe('API authorization servers', () => apiAuthorizations(app));
    describe('policies', () => policies(app));
    describe('variables of hooks', () => hookVariables(app));
    describe('hooks', () => hooks(app));
    describe('rules of hooks', () => hookRules(app));
    describe('test runs of hooks', () => hookTests(app));
    describe('second factors', () => mfa(app));
  });

  events(kind);
  declareFaultCases('api-2', kind);
}

it('every documented status of api-2 was seen', () => {
  assert.deepEqual(unseenStatuses('api-2'), []);
});
