import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Store } from '../../src/store/store.ts';
import { databases, openTestStore } from '../support/stores.ts';
import { type Cast, day, hour, minute, newCast, newCode, newDeviceCode, newGrant, now, unique } from './samples.ts';

async function withStore(kind: Store['kind'], work: (store: Store, cast: Cast) => Promise<void>): Promise<void> {
  const { store, dispose } = await openTestStore(kind);
  try {
    await work(store, await newCast(store));
  } finally {
    await dispose();
  }
}

for (const kind of databases) {
  describe(`purge on ${kind}`, () => {
    test('each kind goes when it is of no use any more, and not before', () =>
      withStore(kind, async (store, cast) => {
        const { accountId, appId, userId } = cast;
        const ended = now - day;
        const session = {
          accountId,
          sid: 'sid',
          userId,
          amr: [],
          authenticatedAt: now,
          lastSeenAt: now,
          idleMilliseconds: day,
        };
        const request = {
          ...newCode(cast),
          browserDigest: '',
          decision: null,
          decidedBy: null,
          createdAt: now,
          passwordUserId: null,
          passwordCheckedAt: null,
          hookPolicyId: null,
          hookPolicyUserId: null,
          hookTraits: null,
          methods: null,
        };
        const token = { accountId, appId, userId: null, grantId: null, scope: [], issuedAt: now, revokedAt: null };
        const credential = await store.callers.createCredential({
          accountId,
          clientId: unique(),
          secretDigest: 'digest',
          scopes: [],
          createdAt: now,
          revokedAt: null,
        });
        const issued = { accountId, credentialId: credential.id, createdAt: now, revokedAt: null };
        // Per kind: makes a row that is due when `late` is 0, one that is not when it is 1; answers how to find it.
        const kinds: ((late: number) => Promise<() => Promise<unknown>>)[] = [
          async (late) => {
            const code = newDeviceCode(cast, { expiresAt: now - hour + late });
            await store.deviceCodes.create(code);
            return () => store.deviceCodes.find(accountId, code.digest);
          },
          async (late) => {
            const { digest } = await store.sessions.create({ ...session, digest: unique(), expiresAt: now + late });
            return () => store.sessions.find(accountId, digest);
          },
          async (late) => {
            const digest = unique();
            await store.authorizations.createRequest({
              ...request,
              digest,
              authenticatedAt: null,
              sid: null,
              expiresAt: now + late,
            });
            return () => store.authorizations.findRequest(accountId, digest);
          },
          async (late) => {
            const code = newCode(cast, { expiresAt: ended + late, usedAt: ended - minute });
            await store.authorizations.createCode(code);
            return () => store.authorizations.findCode(accountId, code.digest);
          },
          async (late) => {
            const added = { ...token, digest: unique(), expiresAt: now - hour + late };
            const { id } = await store.grants.addAccessToken(added);
            return () => store.grants.findAccessToken(accountId, id);
          },
          async (late) => {
            const added = { ...issued, digest: unique(), expiresAt: now - hour + late };
            const { id } = await store.callers.addToken(added);
            return () => store.callers.findToken(accountId, id);
          },
          ...[{ revokedAt: ended }, { idleExpiresAt: ended }, { absoluteExpiresAt: ended }].map(
            (due) => async (late: number) => {
              const moved = Object.fromEntries(Object.entries(due).map(([field, at]) => [field, at + late]));
              const { id } = await newGrant(store, cast, moved);
              return () => store.grants.find(accountId, id);
            },
          ),
        ];
        const due = await Promise.all(kinds.map((make) => make(0)));
        const kept = await Promise.all(kinds.map((make) => make(1)));
        assert.equal(await store.purge(now, 100), kinds.length);
        for (const find of due) assert.equal(await find(), null);
        for (const find of kept) assert.ok(await find());
        assert.equal(await store.purge(now, 100), 0);
      }));

    test('a call deletes at most the limit of a kind and the next goes on; living grants do not stop it', () =>
      withStore(kind, async (store, cast) => {
        const { accountId, appId } = cast;
        for (let count = 0; count < 5; count += 1) {
          const token = { accountId, appId, userId: null, grantId: null, scope: [], issuedAt: now, revokedAt: null };
          await store.grants.addAccessToken({ ...token, digest: unique(), expiresAt: now - day });
        }
        assert.deepEqual([await store.purge(now, 2), await store.purge(now, 2), await store.purge(now, 2)], [2, 2, 1]);
        for (let count = 0; count < 5; count += 1) await newGrant(store, cast);
        const other = await newCast(store);
        const dead = await newGrant(store, other, { revokedAt: now - day });
        let deleted = 0;
        for (let call = 0; call < 5; call += 1) deleted += await store.purge(now, 2);
        assert.equal(deleted, 1);
        assert.equal(await store.grants.find(other.accountId, dead.id), null);
      }));
  });
}
