/**
 * Each function of the store that writes, on a database with the triggers of older releases and on one without those
 * that write: the same rows are in all tables afterwards, and the account's generation moved on both or on neither.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClientRecord, NewClientRecord } from '../../src/store/clients.ts';
import type { HookDefinition } from '../../src/store/hooks.ts';
import type { PackageBuildRecord } from '../../src/store/package-builds.ts';
import type { Store, StoreVerbs } from '../../src/store/store.ts';
import { databases, openTestStore, type TestStore } from '../support/stores.ts';
import { dropWritingTriggers } from '../support/triggers.ts';
import { openDump } from './dump.ts';
import { clearAll } from './filled.ts';
import { newAccount, newClient, newEvent, newServer, newUser, now } from './samples.ts';

/** What the steps before made. */
interface Its {
  accountId: number;
  app: ClientRecord;
  policyId: number;
  serverId: number;
  scopeId: number;
  claimId: number;
  hookId: number;
  variableId: number;
  userId: number;
  build: PackageBuildRecord;
}

type Step = (store: Store, its: Its) => Promise<unknown>;
type Steps<Noun> = { readonly [Verb in keyof Noun]-?: Step | 'reads' };

const key = {
  ...{
    kid: 'own',
    alg: 'RS256' as const,
    publicJwk: '{}',
    sealedPrivateKey: 'sealed',
    publishedAt: now,
    signsFrom: now,
  },
  retiresAt: null,
} as const;

const author = { authorType: 'system', authorId: null };
const definition: HookDefinition = {
  ...{ type: 'pre-authentication', function: 'x', disabled: false, runtime: 'node', retries: 0, timeoutSeconds: 1 },
  ...{ options: null, variableIds: [], packages: {}, conditions: [], contextVersion: '1.0.0' },
};

const policy = {
  ...{ minimumPasswordLength: 8, maximumInvalidLoginAttempts: 10, lockEffectiveMinutes: 15, sessionTimeoutMinutes: 30 },
  ...{ sessionAbsoluteMinutes: 720, passwordExpirationDays: null, otpRequired: false, isDefault: false },
  ...{ createdAt: now, updatedAt: now },
};

function named(clientId: string): Omit<NewClientRecord, 'accountId'> {
  return {
    ...{ clientId, secretDigest: null, name: 'An app', applicationType: 'web', redirectUris: [] },
    ...{ postLogoutRedirectUris: [], grantTypes: [], responseTypes: [], authMethod: 'none', authMethodNamed: true },
    ...{ subjectType: 'public', sector: null, idTokenAlg: 'RS256', scope: null, extra: {}, registeredBy: 'open' },
    ...{ policyId: null, createdAt: now },
  };
}

const registration = (accountId: number, clientId: string) => ({
  client: { accountId, ...named(clientId) },
  eventOf: () => newEvent(accountId),
});

async function link({ authorizationServers }: Store, { accountId, serverId, app: { appId } }: Its): Promise<void> {
  await authorizationServers.link({ accountId, serverId, appId, scopeIds: [], linkedAt: now });
}

/** Nouns whose functions write only tables that nothing depends on; any other has its steps below. */
type Others =
  | 'facts'
  | 'limitCounts'
  | 'callers'
  | 'administrators'
  | 'attributes'
  | 'roles'
  | 'access'
  | 'sessions'
  | 'secondFactors'
  | 'passkeys'
  | 'notices'
  | 'authorizations'
  | 'deviceCodes'
  | 'grants'
  | 'invites'
  | 'passwordResets'
  | 'changeNotices'
  | 'resetRequests'
  | 'events'
  | 'counts'
  | 'hookExecutions'
  | 'signInHistories'
  | 'resources'
  | 'keptAnswers'
  | 'refusals';

/** The nouns with a table that something depends on, in an order in which each step finds what it needs. */
const steps = {
  accounts: {
    create: async (store, its) => {
      its.accountId = (await newAccount(store, { subdomain: 'own', name: 'Own', hosts: ['own.example.com'] })).id;
    },
    update: (store, { accountId }) =>
      store.accounts.update(accountId, { name: 'Renamed', hosts: ['other.example.com'], settings: { a: 'b' } }),
    touch: (store, { accountId }) => store.accounts.touch(accountId),
    find: 'reads',
    findBySubdomain: 'reads',
    findByHost: 'reads',
    list: 'reads',
  },
  keys: {
    add: (store, { accountId }) => store.keys.add({ accountId, ...key }),
    retire: (store, { accountId }) => store.keys.retire(accountId, key.kid, now),
    removeRetired: (store, { accountId }) => store.keys.removeRetired(accountId, now),
    list: 'reads',
  },
  clients: {
    create: async (store, its) => {
      its.app = await newClient(store, its.accountId, { clientId: 'own' });
    },
    register: async (store, { accountId }) => {
      await store.clients.register(registration(accountId, 'registered'));
      await store.clients.register(registration(accountId, 'https://alone.example.com/client'));
    },
    registerAll: (store, { accountId }) =>
      store.clients.registerAll([
        registration(accountId, 'one of two'),
        registration(accountId, 'https://registered.example.com/client'),
      ]),
    ensureDocument: (store, { accountId }) =>
      store.clients.ensureDocument({ accountId, ...named('https://app.example.com/client') }, 10),
    useAssertion: (store, { accountId, app: { appId } }) =>
      store.clients.useAssertion({ accountId, appId, isProof: false, digest: 'x', expiresAt: now }),
    update: (store, { accountId, app: { appId } }) => store.clients.update(accountId, appId, { visible: false }),
    replaceSecret: (store, { accountId, app: { appId } }) => store.clients.replaceSecret(accountId, appId, 'x'),
    remove: async (store, { accountId }) => {
      const removed = await store.clients.find(accountId, 'registered');
      assert.equal(await store.clients.remove(accountId, removed?.appId ?? 0, now), true);
    },
    ...{ find: 'reads', findByApp: 'reads', findByApps: 'reads', findOwner: 'reads', findApp: 'reads' },
    sweepOpen: 'reads',
    ...{ pageApps: 'reads', pageOfUser: 'reads', pageOfRole: 'reads' },
  },
  users: {
    createAll: async (store, its) => {
      its.userId = (await newUser(store, its.accountId, { email: 'own', emailKey: 'own' })).id;
      await newUser(store, its.accountId, { email: 'other', emailKey: 'other' });
    },
    update: (store, { accountId, userId }) => store.users.update(accountId, userId, { firstname: 'Ada' }),
    countAttempt: (store, { accountId, userId }) =>
      store.users.countAttempt({ accountId, userId, now, maximum: 3, lockedUntil: now + 1 }),
    countDecoyAttempt: (store, { accountId }) => store.users.countDecoyAttempt(accountId),
    clearAttempts: (store, { accountId, userId }) => store.users.clearAttempts(accountId, userId),
    replaceDigest: (store, { accountId, userId }) => store.users.replaceDigest(accountId, userId, 'x', 'y'),
    remove: (store, { accountId, userId }) => store.users.remove(accountId, userId, now),
    ...{ find: 'reads', lock: 'reads', findDetailed: 'reads', page: 'reads', idsByNames: 'reads' },
    ...{ findByName: 'reads', findByEmail: 'reads', list: 'reads' },
  },
  policies: {
    create: async (store, its) => {
      its.policyId = (await store.policies.create({ accountId: its.accountId, name: 'Strict', ...policy })).id;
    },
    update: (store, { accountId, policyId }) => store.policies.update(accountId, policyId, { name: 'Stricter' }),
    assign: async (store, { accountId, policyId, app: { appId } }) => {
      for (const id of [policyId, null]) await store.policies.assign(accountId, { appId }, id);
    },
    remove: (store, { accountId, policyId }) => store.policies.remove(accountId, policyId),
    ...{ find: 'reads', list: 'reads', followedBy: 'reads', listFollowed: 'reads', page: 'reads' },
  },
  authorizationServers: {
    create: async (store, its) => {
      const resourceIdentifier = 'https://api.example.com/own';
      its.serverId = (await newServer(store, its.accountId, { resourceIdentifier, clientAccess: 'consent' })).id;
    },
    update: (store, { accountId, serverId }) => store.authorizationServers.update(accountId, serverId, { name: 'x' }),
    addScope: async (store, its) => {
      const { accountId, serverId } = its;
      const scope = { accountId, serverId, value: 'read', description: null, open: true, createdAt: now };
      its.scopeId = (await store.authorizationServers.addScope(scope)).id;
    },
    updateScope: (store, { accountId, serverId, scopeId }) =>
      store.authorizationServers.updateScope(accountId, serverId, scopeId, { description: 'x' }),
    removeScope: (store, { accountId, serverId, scopeId }) =>
      store.authorizationServers.removeScope(accountId, serverId, scopeId),
    addClaim: async (store, its) => {
      const { accountId, serverId } = its;
      const claim = { accountId, serverId, label: 'x', attribute: 'email', macro: null, createdAt: now };
      its.claimId = (await store.authorizationServers.addClaim(claim)).id;
    },
    updateClaim: (store, { accountId, serverId, claimId }) =>
      store.authorizationServers.updateClaim(accountId, serverId, claimId, { label: 'y' }),
    removeClaim: (store, { accountId, serverId, claimId }) =>
      store.authorizationServers.removeClaim(accountId, serverId, claimId),
    link,
    updateLink: (store, { accountId, serverId, app: { appId } }) =>
      store.authorizationServers.updateLink(accountId, serverId, appId, [1]),
    holdLink: (store, { accountId, serverId, app: { appId } }) =>
      store.transaction((tx) => tx.authorizationServers.holdLink(accountId, serverId, appId)),
    unlink: (store, { accountId, serverId, app: { appId } }) =>
      store.authorizationServers.unlink(accountId, serverId, appId, now),
    holdOpen: (store, { accountId, serverId, app: { appId } }) =>
      store.authorizationServers.holdOpen(accountId, serverId, appId),
    endOpen: (store, { accountId, serverId }) => store.authorizationServers.endOpen(accountId, serverId, now),
    remove: async (store, its) => {
      const { accountId, serverId } = its;
      await link(store, its);
      await store.authorizationServers.addScope({
        ...{ accountId, serverId, value: 'left', description: null, open: false, createdAt: now },
      });
      assert.notEqual(await store.authorizationServers.remove(accountId, serverId, now), null);
    },
    ...{ find: 'reads', page: 'reads', listScopes: 'reads', pageScopes: 'reads', listClaims: 'reads' },
    ...{ pageClaims: 'reads', findLink: 'reads', pageLinks: 'reads', ofClient: 'reads', linkedFor: 'reads' },
    ...{ findOpen: 'reads', listOpenIdentifiers: 'reads' },
  },
  hooks: {
    create: async (store, its) => {
      const hook = { accountId: its.accountId, uuid: 'own', createdAt: now, updatedAt: now, ...author };
      its.hookId = (await store.hooks.create(hook, definition, null)).hook.id;
    },
    addVersion: (store, { accountId, hookId }) =>
      store.hooks.addVersion(
        { accountId, id: hookId, runningVersion: 1, updatedAt: now + 1, ...author },
        definition,
        null,
      ),
    setShadow: (store, { accountId, hookId }) =>
      store.hooks.setShadow(accountId, hookId, { function: 'x', setAt: now }),
    remove: (store, { accountId, hookId }) => store.hooks.remove(accountId, hookId),
    ...{ find: 'reads', findUuid: 'reads', count: 'reads', page: 'reads', findVersion: 'reads', findByBuild: 'reads' },
    ...{ listVersions: 'reads', countComparisons: 'reads' },
    ...{ findVersionBefore: 'reads', countRuntimes: 'reads', listAccounts: 'reads', listLive: 'reads' },
  },
  hookVariables: {
    create: async (store, its) => {
      const variable = { accountId: its.accountId, uuid: 'own', name: 'x', sealedValue: 'sealed' };
      its.variableId = (await store.hookVariables.create({ ...variable, createdAt: now, updatedAt: now })).id;
    },
    update: (store, { accountId, variableId }) =>
      store.hookVariables.update(accountId, variableId, { sealedValue: 'other', updatedAt: now + 1 }),
    remove: (store, { accountId, variableId }) => store.hookVariables.remove(accountId, variableId),
    ...{ find: 'reads', list: 'reads', page: 'reads' },
  },
  packageBuilds: {
    create: (store, { accountId }) => store.packageBuilds.create({ accountId, packages: {}, createdAt: now }),
    claim: async (store, its) => {
      const build = await store.packageBuilds.claim(now, now + 1, []);
      assert.ok(build);
      its.build = build;
    },
    finish: (store, { build }) => store.packageBuilds.finish(build, { state: 'ready', digest: 'x' }, now),
    remove: (store, { build: { accountId, id } }) => store.packageBuilds.remove(accountId, id),
    addBundle: (store) => store.packageBuilds.addBundle('x', 'script', now),
    useBundle: (store) => store.packageBuilds.useBundle('x', now + 1),
    ...{ list: 'reads', listReady: 'reads', countOpen: 'reads', findBundle: 'reads' },
  },
} as const satisfies { readonly [Noun in Exclude<keyof StoreVerbs, Others>]: Steps<StoreVerbs[Noun]> };

for (const kind of databases) {
  describe(`each function that writes, with and without triggers on ${kind}`, () => {
    test('leaves the same rows in all tables, and moves the generation alike', async (t) => {
      const stores: TestStore[] = [await openTestStore(kind), await openTestStore(kind)];
      const [, without] = stores as [TestStore, TestStore];
      assert.ok((await dropWritingTriggers(without.url)) > 0);
      const sides = await Promise.all(
        stores.map(async ({ store, url }) => ({ store, dump: await openDump(url), its: {} as Its, generation: 0 })),
      );
      t.after(async () => {
        for (const { dump } of sides) await dump.close();
        for (const { dispose } of stores) await dispose();
      });
      const compare = async (title: string, step: Step) => {
        const left: Readonly<Record<string, string | boolean>>[] = [];
        for (const side of sides) {
          await step(side.store, side.its);
          const generation = Number(await side.store.generation(side.its.accountId));
          left.push({ moved: generation !== side.generation, ...(await side.dump.read()) });
          side.generation = generation;
        }
        const [one, other] = left;
        assert.deepEqual(other, one, title);
      };
      for (const [noun, verbs] of Object.entries<Readonly<Record<string, Step | 'reads'>>>(steps)) {
        for (const [verb, step] of Object.entries(verbs)) {
          if (step !== 'reads') await compare(`${noun}.${verb}`, step);
        }
      }
      await compare('clearRemoved', (store) => clearAll({ store }));
    });
  });
}
