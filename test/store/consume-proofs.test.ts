import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssertionRecord } from '../../src/store/clients.ts';
import type { Consumption, ConsumptionOutcome } from '../../src/store/consumption.ts';
import type { GrantRecord } from '../../src/store/grants.ts';
import { openPatientStore } from '../support/stores.ts';
import { type Cast, hour, newCast, newGrant, now, present, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('proofs that come with refresh tokens', (subject) => {
  const newFamily = async (given: Partial<GrantRecord> = {}, cast?: Cast): Promise<GrantRecord> =>
    newGrant(subject.store, cast ?? (await newCast(subject.store)), given);

  function newProof({ accountId, appId }: GrantRecord): AssertionRecord {
    return { accountId, appId, isProof: true, digest: unique('proof'), expiresAt: now + hour };
  }

  /** Whether a proof is still to be used; it is used up by the question. */
  const isUnused = (proof: AssertionRecord) => subject.store.clients.useAssertion(proof);

  async function consume(...batch: Consumption[]): Promise<string[]> {
    return (await subject.store.grants.consumeAll(batch)).map(nameOf);
  }

  function nameOf(outcome: ConsumptionOutcome): string {
    return outcome.outcome === 'refused' ? outcome.reason : outcome.outcome;
  }

  test('is used up by what it rotates, repeats or reveals as stolen', async () => {
    const grant = await newFamily();
    const proofs = [newProof(grant), newProof(grant), newProof(grant)];
    const [rotate, repeat, reuse] = proofs.map((proof) => present(grant, { proof }));
    assert.ok(rotate && repeat && reuse);
    assert.deepEqual(await consume(rotate), ['rotated']);
    assert.deepEqual(await consume(repeat), ['repeated']);
    assert.deepEqual(await consume({ ...reuse, now: rotate.now + 10_000 }), ['reused']);
    for (const proof of proofs) assert.equal(await isUnused(proof), false);
  });

  test('is not used up by refused requests', async () => {
    const dead = await newFamily({ revokedAt: now, revokedBecause: 'sign_out' });
    const live = await newFamily();
    for (const [grant, given, reason] of [
      [dead, {}, 'revoked'],
      [live, { scope: ['admin'] }, 'scope_exceeded'],
      [live, { grantId: 2 ** 40 }, 'unknown'],
      [live, { appId: dead.appId }, 'other_client'],
    ] as const) {
      const proof = newProof(grant);
      assert.deepEqual(await consume(present(grant, { proof, ...given })), [reason]);
      assert.equal(await isUnused(proof), true, reason);
    }
  });

  test('a used one refuses, and neither rotates nor revokes', async () => {
    const grant = await newFamily();
    const proof = newProof(grant);
    assert.deepEqual(await consume(present(grant, { proof })), ['rotated']);
    const after = await subject.store.grants.find(grant.accountId, grant.id);
    const late = present(grant, { proof, now: now + hour });
    assert.deepEqual(await consume(present(grant, { proof }), late), ['proof_used', 'proof_used']);
    assert.deepEqual(await subject.store.grants.find(grant.accountId, grant.id), after);
    assert.equal(await isUnused(proof), false);
  });

  test('in one batch the first request uses it; the others are refused on their own', async () => {
    const grants = [await newFamily(), await newFamily(), await newFamily()];
    const [one, two, three] = grants;
    assert.ok(one && two && three);
    const proof = newProof(one);
    const replayed = present(one, { proof });
    const dead = await newFamily({ revokedAt: now, revokedBecause: 'sign_out' });
    const unused = newProof(dead);
    const batch = [
      replayed,
      present(two),
      present(one, { proof }),
      present(dead, { proof: unused }),
      present(three, { proof: newProof(three) }),
    ];
    assert.deepEqual(await consume(...batch), ['rotated', 'rotated', 'proof_used', 'revoked', 'rotated']);
    assert.equal(await isUnused(proof), false);
    assert.equal(await isUnused(unused), true);
  });

  test('in one batch a refused request does not use it up for the next', async () => {
    const cast = await newCast(subject.store);
    const [one, two, dead] = [
      await newFamily({}, cast),
      await newFamily({}, cast),
      await newFamily({ revokedAt: now, revokedBecause: 'sign_out' }, cast),
    ];
    const [proof, other] = [newProof(one), newProof(one)];
    const batch = [
      present(one, { proof, scope: ['admin'] }),
      present(one, { proof }),
      present(dead, { proof: other }),
      present(two, { proof: other }),
      present(two, { proof: other }),
    ];
    assert.deepEqual(await consume(...batch), ['scope_exceeded', 'rotated', 'revoked', 'rotated', 'proof_used']);
    assert.deepEqual([await isUnused(proof), await isUnused(other)], [false, false]);
  });

  test('a used one does not change why a token is refused', async () => {
    const grant = await newFamily();
    const proof = newProof(grant);
    assert.equal(await isUnused(proof), true);
    const dead = await newFamily({ revokedAt: now, revokedBecause: 'sign_out' });
    const batch = [present(grant, { proof, scope: ['admin'] }), present(dead, { proof }), present(grant, { proof })];
    assert.deepEqual(await consume(...batch), ['scope_exceeded', 'revoked', 'proof_used']);
  });

  test('from a client that was removed meanwhile fails no other request of its batch', async () => {
    const [gone, other] = [await newFamily(), await newFamily()];
    await subject.store.clients.remove(gone.accountId, gone.appId, now);
    const batch = [present(gone, { proof: newProof(gone) }), present(other, { proof: newProof(other) })];
    assert.deepEqual(await consume(...batch), ['unknown', 'rotated']);
  });

  test('two processes at once: one proof used by 20 refreshes grants one', async () => {
    const second = await openPatientStore(subject.url);
    try {
      const cast = await newCast(subject.store);
      const grants: GrantRecord[] = [];
      for (let at = 0; at < 20; at += 1) grants.push(await newGrant(subject.store, cast));
      const [first] = grants;
      assert.ok(first);
      const proof = newProof(first);
      const outcomes = await Promise.all(
        grants.map((grant, at) =>
          (at % 2 === 0 ? subject.store : second).grants.consumeAll([present(grant, { proof })]),
        ),
      );
      const names = outcomes.flat().map(nameOf).sort();
      assert.deepEqual(names, [...Array(19).fill('proof_used'), 'rotated']);
    } finally {
      await second.close();
    }
  });
});
