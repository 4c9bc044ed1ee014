/** What D1 and D6 look for is found where it was planted: in the database, and in what the service answers. */

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import { createCredential } from '../../src/domain/callers/credentials.ts';
import { basic, openTestApp, type TestApp } from '../support/app.ts';
import { CookieJar, redeem, refresh, signedIn, signInForCode } from '../support/sign-in.ts';
import { findDatabaseFaults } from './half-applied.ts';
import { type Load, newJournal } from './mixed-load.ts';
import type { Nodes } from './nodes.ts';
import { readBack } from './read-back.ts';

/** Each breaks a change that was whole. */
const planted: Readonly<Record<string, readonly [found: RegExp, sql: string]>> = {
  'an account without keys': [/accounts without signing keys/, 'delete from signing_keys'],
  'a grant without its token': [/grants without a refresh token/, 'update grants set current_digest = null'],
  'a rotation without its successor': [/grants rotated in part/, 'update grants set successor_salt = null'],
  'a rotation without its access token': [
    /rotations without an access token/,
    'delete from access_tokens where id = (select max(id) from access_tokens)',
  ],
  'an access token without its grant': [/access tokens without their grant/, 'update access_tokens set grant_id = 99'],
  'a code without tokens': [/codes used in part/, 'update codes set grant_id = null'],
  'a grant without its code': [/grants that no code led to/, 'delete from codes'],
  'a revocation without its reason': [/grants revoked in part/, 'update grants set revoked_at = 1'],
  'a reuse without an event': [
    /ended for reuse without an event/,
    "update grants set revoked_at = 1, revoked_because = 'refresh_token_reused'",
  ],
  'a token stored twice': [
    /doubled: .*access tokens/,
    'update access_tokens set digest = (select min(digest) from access_tokens)',
  ],
  'a hook without its version': [/hooks without their current version/, 'delete from hook_versions'],
  'a hook without its event': [/\d hooks without an event/, 'update hooks set id = 99'],
  'a refusal by a hook without its event': [
    /refusals by hooks without an event/,
    `insert into hook_executions (account_id, hook_id, request_id, correlation_id, created_at, outcome, duration_ms,
      attempt, events, expires_at) select account_id, id, 'run', 'sign-in', 0, 'refused', 0, 1, '[]', 0 from hooks`,
  ],
  'an event of a hook without its run': [
    /ends of hooks without a record/,
    `insert into events select account_id, id + 1000, at, 'hook.failed', outcome, actor_type, actor_id, target_type,
      target_id, source, 'sign-in', detail, hash from events where id = 1`,
  ],
  'a row whose user is gone': [/foreign keys point nowhere/, 'delete from users'],
};

describe('traces of a partial change', () => {
  let app: TestApp;
  before(async () => {
    app = await openTestApp('sqlite');
    const { client, tokens } = await signedIn(app);
    await refresh(app, client, tokens.refresh_token);
    const headers = { authorization: `Bearer ${await app.bearer('manage_all')}` };
    await app.send('POST', '/api/2/hooks', { headers, json: { type: 'pre-authentication', function: '' } });
  });
  after(() => app.dispose());

  it('are absent after complete changes', async () => {
    assert.deepEqual(await findDatabaseFaults(app.url), { halfApplied: [], doubled: [], damage: [] });
  });

  for (const [title, [expected, sql]] of Object.entries(planted)) {
    it(`are found: ${title}`, async () => {
      const file = app.url.slice('sqlite:'.length);
      const copy = `${file}.copy`;
      await app.services.store.backup(copy);
      const database = new Sqlite(copy);
      database.pragma('foreign_keys = off');
      assert.ok(database.prepare(sql).run().changes > 0);
      database.close();
      const { halfApplied, doubled, damage } = await findDatabaseFaults(`sqlite:${copy}`);
      const told = [...halfApplied, ...damage, ...doubled.map((one) => `doubled: ${one}`)];
      assert.match(told.join('; '), expected);
      rmSync(copy);
    });
  }
});

describe('reading back', () => {
  let app: TestApp;
  before(async () => {
    app = await openTestApp('sqlite');
  });
  after(() => app.dispose());

  async function prepare(): Promise<Load> {
    const { client, user, tokens } = await signedIn(app);
    const nodes = { client, wires: [app], account: app } as unknown as Nodes; // What reading back asks of it.
    const jar = new CookieJar();
    const query = await signInForCode(app, client, user, {}, jar);
    const { clientId: client_id, clientSecret: client_secret } = await createCredential(app.services, app.account, [
      'read_users',
    ]);
    const journal = newJournal();
    journal.clients.push(client);
    journal.signIns.push({ tokens: await redeem(app, client, query.get('code') ?? ''), jar });
    journal.undecided.push({ signIn: { tokens, jar }, kind: 'refresh_token' });
    return { nodes, journal, emails: [], pair: { client_id, client_secret }, bearer: '' };
  }

  it('finds acknowledged changes, and an undecided revocation without effect', async () => {
    assert.deepEqual(await readBack(await prepare(), new Set()), { lost: [], halfApplied: [] });
  });

  it('reports what was lost', async () => {
    const load = await prepare();
    const { journal, nodes, pair } = load;
    const [signIn] = journal.signIns;
    assert.ok(signIn);
    journal.clients.push({ ...nodes.client, client_secret: 'lost' });
    journal.signIns.push(
      { ...signIn, jar: new CookieJar() },
      { ...signIn, tokens: { ...signIn.tokens, refresh_token: 'lost' } },
    );
    journal.revocations.push({ signIn, kind: 'access_token' });
    const headers = basic(pair.client_id, pair.client_secret);
    const form = { grant_type: 'client_credentials' };
    journal.revokedBearers.push((await app.send('POST', '/auth/oauth2/v2/token', { headers, form })).body.access_token);
    const { lost } = await readBack(load, new Set());
    assert.deepEqual(lost.toSorted(), [
      'a client',
      'a revocation',
      "a revocation of a credential's token",
      'a sign-in',
      'a sign-in',
    ]);
  });

  it('reports a revocation that ended only one of two tokens', async () => {
    const load = await prepare();
    const [revocation] = load.journal.undecided;
    const [id] = /(?<=^at_)[0-9a-z]+/.exec(revocation?.signIn.tokens.access_token ?? '') ?? [];
    await app.services.store.grants.revokeAccessToken(app.account.id, Number.parseInt(id ?? '', 36), 1);
    const { halfApplied } = await readBack(load, new Set());
    assert.deepEqual(halfApplied, ['a revocation of the refresh_token']);
  });
});
