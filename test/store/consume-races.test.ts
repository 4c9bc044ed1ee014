import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Consumption, ConsumptionOutcome } from '../../src/store/consumption.ts';
import type { GrantRecord } from '../../src/store/grants.ts';
import type { Store } from '../../src/store/store.ts';
import { openPatientStore } from '../support/stores.ts';
import { newCast, newGrant, present, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

const consumers = 100;

onEachDatabase('races of refresh tokens', (subject) => {
  const newFamily = async (): Promise<GrantRecord> => newGrant(subject.store, await newCast(subject.store));

  const presentMany = (grant: GrantRecord): Consumption[] => Array.from({ length: consumers }, () => present(grant));

  /** One of the consumptions rotated the grant, the others were given its successor, and every access token exists. */
  async function assertOneWinner(
    grant: GrantRecord,
    batch: readonly Consumption[],
    outcomes: readonly ConsumptionOutcome[],
  ): Promise<void> {
    const winners = outcomes.flatMap(({ outcome }, at) => (outcome === 'rotated' ? [at] : []));
    assert.equal(winners.length, 1);
    const winner = batch[winners[0] ?? -1];
    const tokens = new Set<number>();
    for (const outcome of outcomes) {
      assert.ok(outcome.outcome === 'rotated' || outcome.outcome === 'repeated');
      assert.equal(outcome.grant.successorSalt, winner?.successorSalt);
      assert.equal(outcome.grant.currentDigest, winner?.successorDigest);
      tokens.add(outcome.accessTokenId);
    }
    assert.equal(tokens.size, consumers);
    for (const [at, outcome] of outcomes.entries()) {
      const id = 'accessTokenId' in outcome ? outcome.accessTokenId : 0;
      const standing = await subject.store.grants.findAccessToken(grant.accountId, id);
      assert.equal(standing?.token.digest, batch[at]?.accessToken.digest);
    }
    const after = await subject.store.grants.find(grant.accountId, grant.id);
    assert.deepEqual([after?.generation, after?.revokedAt], [1, null]);
  }

  const oneByOne = (batch: readonly Consumption[], storeOf: (at: number) => Store): Promise<ConsumptionOutcome[]> =>
    Promise.all(batch.map(async (consumption, at) => (await storeOf(at).grants.consumeAll([consumption])).flat())).then(
      (outcomes) => outcomes.flat(),
    );

  test('100 in one batch: the first rotates, the others repeat', async () => {
    const grant = await newFamily();
    const batch = presentMany(grant);
    const outcomes = await subject.store.grants.consumeAll(batch);
    assert.equal(outcomes[0]?.outcome, 'rotated');
    await assertOneWinner(grant, batch, outcomes);
  });

  test('100 batches at once have one winner', async () => {
    const grant = await newFamily();
    const batch = presentMany(grant);
    await assertOneWinner(grant, batch, await oneByOne(batch, () => subject.store));
  });

  test('100 batches from two stores have one winner', async () => {
    const second = await openPatientStore(subject.url);
    try {
      const grant = await newFamily();
      const batch = presentMany(grant);
      const storeOf = (at: number) => (at % 2 === 0 ? subject.store : second);
      await assertOneWinner(grant, batch, await oneByOne(batch, storeOf));
    } finally {
      await second.close();
    }
  });

  test('two stores that send batches of many grants in opposite order do not block each other', async () => {
    const second = await openPatientStore(subject.url);
    try {
      const cast = await newCast(subject.store);
      const grants = await Promise.all(Array.from({ length: 20 }, () => newGrant(subject.store, cast)));
      const forth = grants.map((grant) => present(grant));
      const back = grants.toReversed().map((grant) => present(grant));
      const [first, other] = await Promise.all([
        subject.store.grants.consumeAll(forth),
        second.grants.consumeAll(back),
      ]);
      const mirrored = other.toReversed();
      for (const [at, { outcome }] of first.entries()) {
        assert.deepEqual([outcome, mirrored[at]?.outcome].toSorted(), ['repeated', 'rotated']);
      }
    } finally {
      await second.close();
    }
  });

  test('in one batch the next consumption of a grant sees the result of the previous one', async () => {
    const grant = await newFamily();
    const first = present(grant);
    const second = present(grant, { presentedDigest: first.successorDigest });
    const tooLate = present(grant);
    const afterwards = present(grant, { presentedDigest: second.successorDigest });
    const outcomes = await subject.store.grants.consumeAll([first, present(grant), second, tooLate, afterwards]);
    assert.deepEqual(
      outcomes.map((outcome) => ('reason' in outcome ? outcome.reason : outcome.outcome)),
      ['rotated', 'repeated', 'rotated', 'reused', 'revoked'],
    );
    const after = await subject.store.grants.find(grant.accountId, grant.id);
    assert.deepEqual(
      [after?.currentDigest, after?.previousDigest, after?.generation, after?.revokedBecause],
      [second.successorDigest, first.successorDigest, 2, 'refresh_token_reused'],
    );
  });

  test('in a mixed batch each gets its own outcome, in the order given', async () => {
    const [fine, locked, reused, alsoFine] = await Promise.all([newFamily(), newFamily(), newFamily(), newFamily()]);
    await subject.store.users.update(locked.accountId, locked.userId, { status: 3 });
    const batch = [
      present(fine),
      present(locked),
      present(fine, { grantId: fine.id + 1000 }),
      present(reused, { presentedDigest: unique('older') }),
      present(alsoFine, { scope: ['openid'] }),
    ];
    const outcomes = await subject.store.grants.consumeAll(batch);
    assert.deepEqual(
      outcomes.map((outcome) => ('reason' in outcome ? outcome.reason : outcome.outcome)),
      ['rotated', 'user_locked', 'unknown', 'reused', 'rotated'],
    );
    assert.deepEqual(await subject.store.grants.find(locked.accountId, locked.id), locked);
    assert.deepEqual(await subject.store.grants.consumeAll([]), []);
  });

  test('a batch that fails leaves nothing behind', async () => {
    const [first, second] = await Promise.all([newFamily(), newFamily()]);
    const broken = present(second, {
      accessToken: { ...present(second).accessToken, digest: null as unknown as string },
    });
    await assert.rejects(subject.store.grants.consumeAll([present(first), broken]));
    await assert.rejects(subject.store.grants.consumeAll([present(first), present(first), broken]));
    for (const grant of [first, second]) {
      assert.deepEqual(await subject.store.grants.find(grant.accountId, grant.id), grant);
    }
  });

  test('a refresh that loses a race with a revocation is refused', async () => {
    for (let round = 0; round < 10; round += 1) {
      const grant = await newFamily();
      const { accountId, id } = grant;
      const [outcomes] = await Promise.all([
        subject.store.grants.consumeAll([present(grant)]),
        subject.store.grants.revoke(accountId, id, grant.createdAt, 'sign_out'),
      ]);
      const after = await subject.store.grants.find(accountId, id);
      assert.equal(after?.revokedBecause, 'sign_out');
      assert.equal(after?.generation, outcomes[0]?.outcome === 'rotated' ? 1 : 0);
    }
  });
});
