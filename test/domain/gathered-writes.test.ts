/** Writes that share a commit, and what they have to do with each other. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { gatherWrites } from '../../src/domain/gathered-writes.ts';
import { failureOf, newAccount, newCast, newClient, newGrant, now, present } from '../store/samples.ts';
import { onEachDatabase } from '../store/suite.ts';
import { openTestStore } from '../support/stores.ts';

test('on PostgreSQL a locked row of one account blocks no refresh of another', async () => {
  const { store, url, dispose } = await openTestStore('postgres');
  const { grants } = gatherWrites(store);
  const [held, free] = [await newGrant(store, await newCast(store)), await newGrant(store, await newCast(store))];
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  try {
    await other.query('begin');
    await other.query('select 1 from grants where id = $1 for update', [held.id]);
    let isOver = false;
    const waiting = grants.consume(present(held)).finally(() => {
      isOver = true;
    });
    assert.equal((await grants.consume(present(free))).outcome, 'rotated');
    assert.equal(isOver, false);
    await other.query('commit');
    assert.equal((await waiting).outcome, 'rotated');
  } finally {
    await other.end();
    await dispose();
  }
});

onEachDatabase('refreshes', (subject) => {
  test('wait for signatures on PostgreSQL, where they follow a batch', async () => {
    const { store } = subject;
    let grant = await newGrant(store, await newCast(store));
    const held: (() => void)[] = [];
    const signing = {
      enter: () => {},
      leave: () => {},
      whenFew: (_: number, __: number, then: () => void) => held.push(then),
    };
    const { grants } = gatherWrites(store, signing);
    // One that comes late is not held.
    for (let tries = 0; held.length === 0 && tries < (store.kind === 'sqlite' ? 5 : 1_000); tries += 1) {
      const consuming = grants.consume(present(grant, { successorDigest: `digest ${tries}` }));
      let isOver = false;
      const ended = consuming.finally(() => {
        isOver = true;
      });
      while (!isOver && held.length === 0) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(isOver, held.length === 0);
      for (const begin of held) begin();
      const outcome = await ended;
      assert.ok(outcome.outcome === 'rotated');
      ({ grant } = outcome);
    }
    assert.equal(held.length, store.kind === 'sqlite' ? 0 : 1);
  });
});

onEachDatabase('pushed requests that arrive together', (subject) => {
  const requestOf = ({ accountId, appId }: { accountId: number; appId: number }, digest: string) => {
    return { accountId, appId, digest, parameters: { scope: 'openid', state: `of ${digest}` }, expiresAt: now };
  };

  test('share one batch, and each is found as it was pushed', async () => {
    const { authorizations } = subject.store;
    const sizes: number[] = [];
    const pushAll: typeof authorizations.pushAll = (requests) => {
      sizes.push(requests.length);
      return authorizations.pushAll(requests);
    };
    const gathered = gatherWrites({ ...subject.store, authorizations: { ...authorizations, pushAll } });
    const client = await newClient(subject.store, (await newAccount(subject.store)).id);
    const requests = ['one', 'two', 'three'].map((digest) => requestOf(client, digest));
    await Promise.all(requests.map(gathered.authorizations.push));
    assert.deepEqual(sizes, [3]);
    for (const request of requests) {
      assert.deepEqual(await authorizations.findPushed(request.accountId, request.appId, request.digest), request);
    }
  });

  test('one of a client that is gone fails alone', async () => {
    const { store } = subject;
    const { authorizations } = gatherWrites(store);
    const { id: accountId } = await newAccount(store);
    const client = await newClient(store, accountId);
    const gone = { accountId, appId: client.appId + 1_000_000 };
    const [first, second, third] = await Promise.allSettled([
      authorizations.push(requestOf(client, 'first')),
      authorizations.push(requestOf(gone, 'second')),
      authorizations.push(requestOf(client, 'third')),
    ]);
    assert.deepEqual([first.status, second.status, third.status], ['fulfilled', 'rejected', 'fulfilled']);
    assert.equal(await failureOf(authorizations.push(requestOf(gone, 'again'))), 'not_found');
    for (const digest of ['first', 'third']) {
      assert.equal((await store.authorizations.findPushed(accountId, client.appId, digest))?.digest, digest);
    }
  });

  test('of several accounts are all stored', async () => {
    const { authorizations } = gatherWrites(subject.store);
    const clients: Awaited<ReturnType<typeof newClient>>[] = [];
    for (let number = 0; number < 3; number += 1) {
      clients.push(await newClient(subject.store, (await newAccount(subject.store)).id));
    }
    await Promise.all(clients.map((client) => authorizations.push(requestOf(client, 'alike'))));
    for (const { accountId, appId } of clients) {
      assert.equal((await authorizations.findPushed(accountId, appId, 'alike'))?.accountId, accountId);
    }
  });
});
