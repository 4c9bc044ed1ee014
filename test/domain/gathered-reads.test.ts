/** Lookups that share a statement: each gets its own, and sees what was committed before it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatherReads } from '../../src/domain/gathered-reads.ts';
import type { Store } from '../../src/store/store.ts';
import { hour, newCast, newGrant, now, unique } from '../store/samples.ts';
import { onEachDatabase } from '../store/suite.ts';

onEachDatabase('lookups of tokens', (subject) => {
  /** The store with its batches counted; `reached` is awaited when a batch has been read. */
  function counted(store: Store, reached = async () => {}) {
    const batches: number[][] = [];
    const findAccessTokens: typeof store.grants.findAccessTokens = async (accountId, ids) => {
      batches.push([...ids]);
      const found = await store.grants.findAccessTokens(accountId, ids);
      await reached();
      return found;
    };
    const { grants } = gatherReads({ ...store, grants: { ...store.grants, findAccessTokens } });
    return { grants, batches };
  }

  async function newToken(store: Store) {
    const { accountId, id: grantId, appId, userId, scope } = await newGrant(store, await newCast(store));
    const lives = { issuedAt: now, expiresAt: now + hour, revokedAt: null };
    return store.grants.addAccessToken({
      accountId,
      grantId,
      appId,
      userId,
      scope,
      digest: unique('digest'),
      ...lives,
    });
  }

  test('those that come together each get their own answer, also for the same token, or for one that does not exist', async () => {
    const { store } = subject;
    const [one, other] = [await newToken(store), await newToken(store)];
    const { grants, batches } = counted(store);
    const wanted = [one, other, one, { ...one, id: one.id + 1_000_000 }, { ...one, id: 1.5 }];
    const found = await Promise.all(wanted.map(({ accountId, id }) => grants.findAccessToken(accountId, id)));
    assert.deepEqual(
      found.map((standing) => standing?.token.id ?? null),
      [one.id, other.id, one.id, null, null],
    );
    const sizes = batches.map(({ length }) => length).toSorted();
    assert.deepEqual(sizes, store.kind === 'sqlite' ? [] : [1, 3]);
  });

  test('one that comes while others are being read sees what was committed meanwhile', async () => {
    const { store } = subject;
    const { accountId, id } = await newToken(store);
    const { promise: read, resolve: isRead } = Promise.withResolvers<void>();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { grants } = counted(store, async () => {
      isRead();
      await held;
    });
    const early = grants.findAccessToken(accountId, id);
    if (store.kind === 'postgres') await read;
    await store.grants.revokeAccessToken(accountId, id, now);
    const late = grants.findAccessToken(accountId, id);
    release();
    assert.deepEqual([(await early)?.token.revokedAt, (await late)?.token.revokedAt], [null, now]);
  });

  test('each is told of a failure, and the next one is answered', async () => {
    const { store } = subject;
    const { accountId, id } = await newToken(store);
    let fails = true;
    const { grants } = counted(store, async () => {
      if (fails) throw new Error('the database is away');
    });
    const settled = await Promise.allSettled([1, 2].map(() => grants.findAccessToken(accountId, id)));
    const isGathered = store.kind === 'postgres';
    assert.deepEqual(
      settled.map(({ status }) => status),
      Array(2).fill(isGathered ? 'rejected' : 'fulfilled'),
    );
    fails = false;
    assert.equal((await grants.findAccessToken(accountId, id))?.token.id, id);
  });
});
