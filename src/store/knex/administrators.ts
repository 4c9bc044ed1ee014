import type { Knex } from 'knex';
import type { AdministratorRecord, AdministratorStore, ConsoleGrantRecord } from '../administrators.ts';
import type { UserStatus } from '../users.ts';
import { dialectOf } from './dialect.ts';
import { fixedRead, fixedSelect, readRow } from './fixed-reads.ts';
import { listPage } from './list.ts';
import type { Listing } from './list-filters.ts';
import { filled } from './list-index.ts';
import { refersToPresent } from './removed.ts';
import * as rows from './rows.ts';
import { json, shape } from './shape.ts';

const administrators = shape<AdministratorRecord>('administrators', null, {
  accountId: 'account_id',
  userId: 'user_id',
  scopes: json('scopes'),
  createdAt: 'created_at',
});

const consoleGrants = shape<ConsoleGrantRecord>('console_grants', null, {
  accountId: 'account_id',
  digest: 'digest',
  userId: 'user_id',
  sid: 'sid',
  parameters: json('parameters'),
  tokenDigest: 'token_digest',
  thumbprint: 'thumbprint',
  authenticatedAt: 'authenticated_at',
  createdAt: 'created_at',
  usedAt: 'used_at',
  expiresAt: 'expires_at',
});

const listing: Listing<AdministratorRecord> = {
  table: administrators.table,
  id: 'user_id',
  columns: { user_id: filled('number', 'user_id') },
  removable: 'user',
  read: administrators.read,
};

/** The grant of a token with its user, right and session; a row less, and the token is worth nothing. */
const standingOfToken = fixedRead(
  'console-token',
  `select ${[...consoleGrants.select('g', 'g_'), ...rows.sessions.select('s', 's_')].join(', ')}, a.scopes, u.status
    from console_grants g
    join administrators a on a.account_id = g.account_id and a.user_id = g.user_id
    join users u on u.account_id = g.account_id and u.id = g.user_id
    join sessions s on s.account_id = g.account_id and s.user_id = g.user_id and s.sid = g.sid
    where g.account_id = ? and g.token_digest = ? and ${refersToPresent('g', 'user_id')}`,
);
const byUser = fixedSelect(
  administrators,
  'administrator',
  `account_id = ? and user_id = ? and ${refersToPresent('administrators', 'user_id')}`,
);

const readGrant = consoleGrants.reader('g_');
const readSession = rows.sessions.reader('s_');

type GrantVerb = 'addGrant' | 'findGrant' | 'redeemGrant' | 'removeGrant' | 'removeToken' | 'findToken' | 'useProof';

function grantVerbs(db: Knex): Pick<AdministratorStore, GrantVerb> {
  const one = (accountId: number, digest: string) => db('console_grants').where({ account_id: accountId, digest });
  return {
    addGrant: async (grant) => {
      await db('console_grants').insert(consoleGrants.write(grant));
    },
    findGrant: async (accountId, digest) => {
      const row = await one(accountId, digest).first();
      return row ? consoleGrants.read(row) : null;
    },
    redeemGrant: async (accountId, digest, redeemed, now) => {
      const live = one(accountId, digest).whereNull('used_at').where('expires_at', '>', now);
      return (await live.update(consoleGrants.write({ ...redeemed, usedAt: now }))) === 1;
    },
    removeGrant: async (accountId, digest) => {
      await one(accountId, digest).delete();
    },
    removeToken: async (accountId, tokenDigest) => {
      await db('console_grants').where({ account_id: accountId, token_digest: tokenDigest }).delete();
    },
    findToken: async (accountId, tokenDigest) => {
      const row = await readRow(db, standingOfToken, accountId, tokenDigest);
      if (!row) return null;
      const scopes: readonly string[] = JSON.parse(String(row['scopes']));
      return { grant: readGrant(row), session: readSession(row), scopes, status: row['status'] as UserStatus };
    },
    useProof: async ({ accountId, digest, expiresAt }) => {
      const used = db('console_proofs').insert({ account_id: accountId, digest, expires_at: expiresAt });
      return (await used.onConflict(['account_id', 'digest']).ignore().returning('digest')).length === 1;
    },
  };
}

export function administratorVerbs(db: Knex): AdministratorStore {
  const all = (accountId: number) =>
    db('administrators').where('account_id', accountId).whereRaw(refersToPresent('administrators', 'user_id'));
  return {
    find: async (accountId, userId) => {
      const row = await readRow(db, byUser, accountId, userId);
      return row ? administrators.read(row) : null;
    },
    page: (accountId, query) => listPage(db, listing, accountId, query),
    lockAll: async (accountId) => {
      await dialectOf(db).lock(() => all(accountId).orderBy('user_id').select('user_id'), 'forUpdate');
      return (await all(accountId).orderBy('user_id')).map(administrators.read);
    },
    put: async (administrator) => {
      const added = db('administrators').insert(administrators.write(administrator));
      await added.onConflict(['account_id', 'user_id']).merge(['scopes']);
    },
    remove: async (accountId, userId) =>
      (await db('administrators').where({ account_id: accountId, user_id: userId }).delete()) === 1,
    ...grantVerbs(db),
  };
}
