import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { unseenStatuses } from '../../support/conforms.ts';
import { declareFaultCases } from '../../support/faults.ts';
import { unreadMembers } from '../../support/read-members.ts';
import { partsOn, sampled } from '../../support/sample.ts';
import { databases } from '../../support/stores.ts';
import { writtenMembers } from '../written-members.ts';
import { accountSettings } from './account-settings.ts';
import { administrators } from './administrators.ts';
import { apiAuthorizations } from './api-authorizations.ts';
import { appAccess } from './app-access.ts';
import { appSecrets } from './app-secrets.ts';
import { appUsers } from './app-users.ts';
import { apps } from './apps.ts';
import { callers } from './callers.ts';
import { characters } from './characters.ts';
import { conditionalWrites, racingWrites } from './conditional-writes.ts';
import { consoleTokens } from './console-tokens.ts';
import { credentials } from './credentials.ts';
import { customAttributes } from './custom-attributes.ts';
import { eventChain } from './event-chain.ts';
import { events } from './events.ts';
import { hookHistory } from './hook-history.ts';
import { hookRules } from './hook-rules.ts';
import { hookTests } from './hook-tests.ts';
import { hookTrials } from './hook-trials.ts';
import { hookVariables } from './hook-variables.ts';
import { hooks } from './hooks.ts';
import { inviteUser } from './invite-user.ts';
import { limits } from './limits.ts';
import { lists } from './lists.ts';
import { longPages } from './long-pages.ts';
import { allOperations, matrix } from './matrix.ts';
import { mfa } from './mfa.ts';
import { parameters } from './parameters.ts';
import { policies } from './policies.ts';
import { racingHooks } from './racing-hooks.ts';
import { refusals } from './refusals.ts';
import { racingRequests, repeatableRequests } from './repeatable-requests.ts';
import { roleMembers } from './role-members.ts';
import { roles } from './roles.ts';
import { routing } from './routing.ts';
import { signingKeys } from './signing-keys.ts';
import { takenRights } from './taken-rights.ts';
import { usage } from './usage.ts';
import { userFiles } from './user-files.ts';
import { userFilters } from './user-filters.ts';
import { userImports } from './user-imports.ts';
import { userManagers } from './user-managers.ts';
import { userSignIns } from './user-sign-ins.ts';
import { userWrites } from './user-writes.ts';
import { users } from './users.ts';

for (const kind of databases) {
  describe(`management on ${kind}`, () => {
    const part = partsOn(kind);
    let opened: TestApp;
    const app = () => opened;
    before(async () => {
      // Limits have accounts of their own.
      opened = await openTestApp(kind, {
        settings: { 'limit.api-2': 'off', 'limit.xml': 'off', 'limit.sign-in': 'off', 'limit.reset': 'off' },
      });
    });
    after(() => opened.dispose());

    part('the matrix of operations', () => matrix(app, kind === 'sqlite' ? allOperations : sampled(allOperations, 63)));
    part('callers and scopes', () => callers(app));
    part('routing and bodies', () => routing(app));
    part('members of a user', () => writtenMembers(app));
    part('how parameters are written', () => parameters(app));
    part('the rate limit', () => limits(app));
    part('lists', () => lists(app));
    part('long pages', () => longPages(app));
    part('users', () => users(app));
    part('writing users', () => userWrites(app));
    part('files of users', () => userFiles(app));
    part('imported passwords', () => userImports(app));
    part('what manage_users may do', () => userManagers(app));
    part('sessions, consents and grants of users', () => userSignIns(app));
    part('filters of users', () => userFilters(app));
    part('roles', () => roles(app));
    part('members and apps of roles', () => roleMembers(app));
    part('apps', () => apps(app));
    part('access to apps', () => appAccess(app));
    part('secrets of apps', () => appSecrets(app));
    part('users of apps', () => appUsers(app));
    part('credentials and API keys', () => credentials(app));
    part('administrators', () => administrators(app));
    part('tokens of the console', () => consoleTokens(app));
    part('custom attributes', () => customAttributes(app));
    part('API authorization servers', () => apiAuthorizations(app));
    part('policies', () => policies(app));
    part('conditional writes', () => conditionalWrites(app));
    part('repeatable requests', () => repeatableRequests(app));
    describe('racing requests', () => racingRequests(app));
    describe('racing writers', () => racingWrites(app));
    describe('racing writers of hooks', () => racingHooks(app));
    describe('rights that are taken', () => takenRights(app));
    part('variables of hooks', () => hookVariables(app));
    part('hooks', () => hooks(app));
    part('versions and drafts of hooks', () => hookHistory(app));
    part('trials and replays of hooks', () => hookTrials(app));
    part('rules of hooks', () => hookRules(app));
    part('test runs of hooks', () => hookTests(app));
    part('second factors', () => mfa(app));
    part('settings of the account', () => accountSettings(app));
    part('signing keys', () => signingKeys(app));
    part('the chain of the trail', () => eventChain(app));
    part('refusals by reference', () => refusals(app));
    part('invites', () => inviteUser(app));
    part('usage', () => usage(app));
    part('characters of texts', () => characters(app));
  });

  events(kind);
  declareFaultCases('api-2', kind);
}

it('every documented status of api-2 was seen', () => {
  assert.deepEqual(unseenStatuses('api-2'), []);
});

it('every member of the request bodies of api-2 was read by a handler', () => {
  assert.deepEqual(unreadMembers('api-2'), []);
});
