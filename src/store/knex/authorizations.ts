import type { Knex } from 'knex';
import type { AuthorizationStore } from '../store.ts';
import * as rows from './rows.ts';

type RequestVerb =
  | 'createRequest'
  | 'findRequest'
  | 'signIn'
  | 'keepFirstFactor'
  | 'keepFiring'
  | 'decide'
  | 'finishRequest';
type CodeVerb = 'createCode' | 'findCode' | 'consumeCode' | 'linkCode';

function requestVerbs(db: Knex): Pick<AuthorizationStore, RequestVerb> {
  const one = (accountId: number, digest: string) =>
    db('authorization_requests').where({ account_id: accountId, digest });
  return {
    createRequest: async (request) => {
      await db('authorization_requests').insert(rows.authorizationRequests.write(request));
    },
    findRequest: async (accountId, digest) => {
      const row = await one(accountId, digest).first();
      return row ? rows.authorizationRequests.read(row) : null;
    },
    signIn: async (accountId, digest, at, browserDigest) => {
      await one(accountId, digest).update({
        ...(at !== null && { authenticated_at: at }),
        browser_digest: browserDigest,
        decision: null,
        decided_by: null,
        password_user_id: null,
        password_checked_at: null,
        methods: null,
      });
    },
    keepFirstFactor: async (accountId, digest, { userId, checkedAt, methods }, browserDigest) => {
      await one(accountId, digest).update({
        browser_digest: browserDigest,
        password_user_id: userId,
        password_checked_at: checkedAt,
        methods: JSON.stringify(methods),
      });
    },
    keepFiring: async (accountId, digest, { hookPolicyId, hookPolicyUserId, hookTraits }) => {
      const fired = { hookPolicyId, hookPolicyUserId, hookTraits };
      await one(accountId, digest).update(rows.authorizationRequests.write(fired));
    },
    decide: async (accountId, digest, decision, userId) => {
      await one(accountId, digest).update({ decision, decided_by: userId });
    },
    finishRequest: async (accountId, digest) => (await one(accountId, digest).delete()) === 1,
  };
}

function codeVerbs(db: Knex): Pick<AuthorizationStore, CodeVerb> {
  const one = (accountId: number, digest: string) => db('codes').where({ account_id: accountId, digest });
  return {
    createCode: async (code) => {
      await db('codes').insert(rows.codes.write(code));
    },
    findCode: async (accountId, digest) => {
      const row = await one(accountId, digest).first();
      return row ? rows.codes.read(row) : null;
    },
    consumeCode: async (accountId, digest, now) => {
      const live = one(accountId, digest).whereNull('used_at').where('expires_at', '>', now);
      return (await live.update({ used_at: now })) === 1;
    },
    linkCode: async (accountId, digest, grantId) => {
      await one(accountId, digest).update({ grant_id: grantId });
    },
  };
}

export function authorizationVerbs(db: Knex): AuthorizationStore {
  return {
    push: async (request) => {
      await db('pushed_requests').insert(rows.pushedRequests.write(request));
    },
    findPushed: async (accountId, appId, digest) => {
      const row = await db('pushed_requests').where({ account_id: accountId, digest, app_id: appId }).first();
      return row ? rows.pushedRequests.read(row) : null;
    },
    takePushed: async (accountId, digest) =>
      (await db('pushed_requests').where({ account_id: accountId, digest }).delete()) === 1,
    ...requestVerbs(db),
    ...codeVerbs(db),
    findConsent: async (accountId, userId, appId) => {
      const consent = { account_id: accountId, user_id: userId, app_id: appId };
      const row: { scope: string } | undefined = await db('consents').where(consent).first('scope');
      return row ? JSON.parse(row.scope) : null;
    },
    saveConsent: async (accountId, userId, appId, scope, at) => {
      const consent = { account_id: accountId, user_id: userId, app_id: appId };
      await db('consents')
        .insert({ ...consent, scope: JSON.stringify(scope), allowed_at: at })
        .onConflict(Object.keys(consent))
        .merge(['scope', 'allowed_at']);
    },
    listConsents: async (accountId, userId) => {
      const found: { app_id: number; scope: string; allowed_at: number }[] = await db('consents')
        .where({ account_id: accountId, user_id: userId })
        .orderBy('app_id');
      return found.map((row) => ({ appId: row.app_id, scope: JSON.parse(row.scope), allowedAt: row.allowed_at }));
    },
    removeConsent: async (accountId, userId, appId) => {
      const consent = db('consents').where({ account_id: accountId, user_id: userId, app_id: appId });
      return (await consent.delete()) === 1;
    },
  };
}
