import type { Knex } from 'knex';
import type { AuthorizationRequestRecord, AuthorizationStore, ConsentRecord } from '../authorizations.ts';
import type { HotVerbs } from './engine.ts';
import { fixedRead, fixedSelect, readRow } from './fixed-reads.ts';
import { fixedWrite, writeRows } from './fixed-writes.ts';
import { endRequests, inFlight } from './in-flight.ts';
import { listPage } from './list.ts';
import type { Listing } from './list-filters.ts';
import { filled } from './list-index.ts';
import * as rows from './rows.ts';
import type { DbRow } from './shape.ts';
import { single } from './single.ts';

type RequestVerb =
  | 'createRequest'
  | 'findRequest'
  | 'hasEnded'
  | 'signIn'
  | 'keepFirstFactor'
  | 'keepFiring'
  | 'decide'
  | 'finishRequest'
  | 'endRequests';
type CodeVerb = 'createCode' | 'findCode' | 'consumeCode' | 'endCodes' | 'linkCode';

const byDigest = 'account_id = ? and digest = ?';
/** Not ended yet. */
const open = (table: string) => `not exists (
  select 1 from ended_requests e where e.account_id = ${table}.account_id and e.digest = ${table}.digest)`;
const openRequest = fixedSelect(
  rows.authorizationRequests,
  'request-open',
  `${byDigest} and ${open('authorization_requests')}`,
);
const openPushed = fixedSelect(
  rows.pushedRequests,
  'pushed-request-open',
  `${byDigest} and app_id = ? and ${open('pushed_requests')}`,
);
const endedRequest = fixedRead('request-ended', `select digest from ended_requests where ${byDigest}`);
const endRequest = fixedWrite(
  'request-end',
  `insert into ended_requests (account_id, digest, expires_at) values (?, ?, ?)
    on conflict (account_id, digest) do nothing returning digest`,
);
const deleteRequest = fixedWrite('request-delete', `delete from authorization_requests where ${byDigest}`);
const useCode = fixedWrite(
  'code-use',
  `update codes set used_at = ? where ${byDigest} and used_at is null and expires_at > ? returning digest`,
);
const linkCode = fixedWrite('code-link', `update codes set grant_id = ? where ${byDigest}`);
const codeByDigest = fixedSelect(rows.codes, 'code-by-digest', byDigest);
const consentTo = fixedRead(
  'consent',
  'select scope from consents where account_id = ? and user_id = ? and app_id = ?',
);

function requestVerbs(db: Knex): Pick<AuthorizationStore, RequestVerb> {
  const { table, write, read } = rows.authorizationRequests;
  /** A request stays sealed in its identifier until there is something to store. */
  const keep = async (request: AuthorizationRequestRecord, changes: Partial<AuthorizationRequestRecord>) => {
    await db(table)
      .insert(write({ ...request, ...changes }))
      .onConflict(['account_id', 'digest'])
      .merge(write(changes));
  };
  return {
    createRequest: async (request) => {
      await db(table).insert(write(request));
    },
    findRequest: async (accountId, digest) => {
      const row = await readRow(db, openRequest, accountId, digest);
      return row ? read(row) : null;
    },
    hasEnded: async (accountId, digest) => (await readRow(db, endedRequest, accountId, digest)) !== undefined,
    signIn: (request, opened, browserDigest) =>
      keep(request, {
        ...(opened && { authenticatedAt: opened.authenticatedAt, sid: opened.sid }),
        browserDigest,
        decision: null,
        decidedBy: null,
        passwordUserId: null,
        passwordCheckedAt: null,
        methods: null,
      }),
    keepFirstFactor: (request, { userId, checkedAt, methods }, browserDigest) =>
      keep(request, { browserDigest, passwordUserId: userId, passwordCheckedAt: checkedAt, methods }),
    keepFiring: (request, { hookPolicyId, hookPolicyUserId, hookTraits }) =>
      keep(request, { hookPolicyId, hookPolicyUserId, hookTraits }),
    decide: (request, decision, userId, apiScopes) =>
      keep(request, {
        appId: request.appId,
        decision,
        decidedBy: userId,
        parameters: { ...request.parameters, apiScopes },
      }),
    finishRequest: async ({ accountId, digest, expiresAt }) => {
      // A sealed request can be opened until it expires, so its end is stored as long.
      const won = await writeRows(db, endRequest, accountId, digest, expiresAt);
      if (won.length > 0) await writeRows(db, deleteRequest, accountId, digest);
      return won.length > 0;
    },
    endRequests: (accountId, whose, except) => endRequests(db, accountId, whose, except),
  };
}

function codeVerbs(db: Knex, { append }: Pick<HotVerbs, 'append'>): Pick<AuthorizationStore, CodeVerb> {
  return {
    createCode: async (code) => {
      await append(db, rows.codes.table, 'account_id', [rows.codes.write(code)]);
    },
    findCode: async (accountId, digest) => {
      const row = await readRow(db, codeByDigest, accountId, digest);
      return row ? rows.codes.read(row) : null;
    },
    consumeCode: async (accountId, digest, now) => {
      return (await writeRows(db, useCode, now, accountId, digest, now)).length === 1;
    },
    endCodes: async (accountId, whose) => {
      // A used code stays: presenting it again ends its grant.
      await inFlight(db, 'codes', accountId, whose).whereNull('used_at').delete();
    },
    linkCode: async (accountId, digest, grantId) => {
      await writeRows(db, linkCode, grantId, accountId, digest);
    },
  };
}

function readConsent(row: DbRow): ConsentRecord {
  const { app_id, scope, allowed_at } = row as { app_id: number; scope: string; allowed_at: number };
  return { appId: app_id, scope: JSON.parse(scope), allowedAt: allowed_at };
}

const consentListing: Listing<ConsentRecord> = {
  table: 'consents',
  id: 'app_id',
  removable: 'app',
  columns: { app_id: filled('number', 'app_id') },
  read: readConsent,
};

export function authorizationVerbs(db: Knex, { append }: HotVerbs): AuthorizationStore {
  const pushAll: AuthorizationStore['pushAll'] = async (requests) => {
    const { table, write } = rows.pushedRequests;
    // The table has no numbers of its own.
    await append(db, table, 'account_id', requests.map(write));
    return [...requests];
  };
  return {
    pushAll,
    push: single(pushAll),
    findPushed: async (accountId, appId, digest) => {
      const row = await readRow(db, openPushed, accountId, digest, appId);
      return row ? rows.pushedRequests.read(row) : null;
    },
    ...requestVerbs(db),
    ...codeVerbs(db, { append }),
    findConsent: async (accountId, userId, appId) => {
      const row = await readRow(db, consentTo, accountId, userId, appId);
      return row ? JSON.parse(String(row['scope'])) : null;
    },
    saveConsent: async (accountId, userId, appId, scope, at) => {
      const consent = { account_id: accountId, user_id: userId, app_id: appId };
      await db('consents')
        .insert({ ...consent, scope: JSON.stringify(scope), allowed_at: at })
        .onConflict(Object.keys(consent))
        .merge(['scope', 'allowed_at']);
    },
    listConsents: async (accountId, userId) => {
      const found = db('consents').where({ account_id: accountId, user_id: userId });
      return (await found.orderBy('app_id')).map(readConsent);
    },
    pageConsents: (accountId, userId, query) =>
      listPage(db, { ...consentListing, only: ['user_id = ?', [userId]] }, accountId, query),
    removeConsent: async (accountId, userId, appId) => {
      const consent = db('consents').where({ account_id: accountId, user_id: userId, app_id: appId });
      return (await consent.delete()) === 1;
    },
  };
}
