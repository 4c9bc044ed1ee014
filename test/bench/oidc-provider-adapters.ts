/** Where oidc-provider keeps its objects and users: in memory, or as durably as the service under test. */

import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { durableStorage, makeDurable } from './peer.ts';

export interface BenchUser {
  readonly email: string;
  readonly firstname: string;
  readonly lastname: string;
}

export interface Storage {
  readonly adapter: (model: string) => Adapter;
  addUser(id: number, user: BenchUser): void;
  findUser(id: number): BenchUser | undefined;
  /** Runs `work` as one: objects of the bench itself, before it begins. */
  together<Made>(work: () => Promise<Made>): Promise<Made>;
  /** In words for the table. */
  describe(): string;
}

/** One adapter for each kind. */
function perModel(make: (model: string) => Adapter): (model: string) => Adapter {
  const adapters = new Map<string, Adapter>();
  return (model) => {
    const adapter = adapters.get(model) ?? make(model);
    adapters.set(model, adapter);
    return adapter;
  };
}

/** A plain Map: as fast as it gets, and all is forgotten at a restart. */
export function mapStorage(): Storage {
  const users = new Map<number, BenchUser>();
  return {
    adapter: perModel(() => mapAdapter()),
    addUser: (id, user) => void users.set(id, user),
    findUser: (id) => users.get(id),
    together: (work) => work(),
    describe: () => 'Map',
  };
}

function mapAdapter(): Adapter {
  const objects = new Map<string, AdapterPayload>();
  const findBy = (member: 'uid' | 'userCode', value: string) =>
    [...objects.values()].find((payload) => payload[member] === value);
  return {
    upsert: async (id, payload) => void objects.set(id, payload),
    find: async (id) => objects.get(id),
    findByUid: async (uid) => findBy('uid', uid),
    findByUserCode: async (userCode) => findBy('userCode', userCode),
    consume: async (id) => {
      const payload = objects.get(id);
      if (payload) payload.consumed = Math.floor(Date.now() / 1000);
    },
    destroy: async (id) => void objects.delete(id),
    revokeByGrantId: async (grantId) => {
      for (const [id, payload] of objects) if (payload.grantId === grantId) objects.delete(id);
    },
  };
}

interface Row {
  readonly payload: string;
  readonly consumed: number | null;
}

function payloadOf(row: Row | undefined): AdapterPayload | undefined {
  if (!row) return undefined;
  const payload = JSON.parse(row.payload) as AdapterPayload;
  return row.consumed === null ? payload : { ...payload, consumed: row.consumed };
}

/** SQLite with prepared statements, a table for each kind, every call a durable commit before it returns. */
export function sqliteStorage(folder: string): Storage {
  const db = new Sqlite(join(folder, 'oidc-provider.db'));
  makeDurable(db);
  db.exec('create table users (id integer primary key, email text, firstname text, lastname text) strict');
  const addUser = db.prepare('insert into users values (?, ?, ?, ?)');
  const findUser = db.prepare<[number], BenchUser>('select email, firstname, lastname from users where id = ?');
  return {
    adapter: perModel((model) => sqliteAdapter(db, model)),
    addUser: (id, { email, firstname, lastname }) => void addUser.run(id, email, firstname, lastname),
    findUser: (id) => findUser.get(id),
    together: async (work) => {
      db.exec('begin');
      const made = await work();
      db.exec('commit');
      return made;
    },
    describe: () => durableStorage(db),
  };
}

function sqliteAdapter(db: Sqlite.Database, model: string): Adapter {
  db.exec(`create table if not exists ${model} (id text primary key, payload text not null, grant_id text, uid text,
    user_code text, expires_at integer, consumed integer) strict`);
  // Most kinds have neither.
  if (model === 'Session' || model === 'Interaction') db.exec(`create index ${model}_uid on ${model} (uid)`);
  if (/Token$|Code$/.test(model)) db.exec(`create index ${model}_grant on ${model} (grant_id)`);
  const upsert = db.prepare(
    `insert into ${model} (id, payload, grant_id, uid, user_code, expires_at) values (?, ?, ?, ?, ?, ?)
      on conflict (id) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
  );
  const find = db.prepare<[string], Row>(`select payload, consumed from ${model} where id = ?`);
  const findByUid = db.prepare<[string], Row>(`select payload, consumed from ${model} where uid = ?`);
  const findByUserCode = db.prepare<[string], Row>(`select payload, consumed from ${model} where user_code = ?`);
  const consume = db.prepare(`update ${model} set consumed = ? where id = ?`);
  const destroy = db.prepare(`delete from ${model} where id = ?`);
  const revoke = db.prepare(`delete from ${model} where grant_id = ?`);
  return {
    upsert: async (id, payload, seconds) => {
      const expiresAt = seconds === undefined ? null : Math.floor(Date.now() / 1000) + seconds;
      const { grantId = null, uid = null, userCode = null } = payload;
      upsert.run(id, JSON.stringify(payload), grantId, uid, userCode, expiresAt);
    },
    find: async (id) => payloadOf(find.get(id)),
    findByUid: async (uid) => payloadOf(findByUid.get(uid)),
    findByUserCode: async (userCode) => payloadOf(findByUserCode.get(userCode)),
    consume: async (id) => void consume.run(Math.floor(Date.now() / 1000), id),
    destroy: async (id) => void destroy.run(id),
    revokeByGrantId: async (grantId) => void revoke.run(grantId),
  };
}
