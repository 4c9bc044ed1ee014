import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GenerateKeyPair, generateKeyPair, type KeyPair } from '../../../src/domain/keys/key-pairs.ts';
import { rotateIfDue, rotateKeys } from '../../../src/domain/keys/rotate-keys.ts';
import { listKeys } from '../../../src/domain/keys/signing-keys.ts';
import { day } from '../../store/samples.ts';
import { createTestAccount, testClock, testServices } from '../../support/services.ts';
import { databases } from '../../support/stores.ts';
import { onServices } from '../subject.ts';

const retired = day + 30_000;

/** RSA pairs in the order in which they were first asked for: to make one takes longer than most tests do. */
const pairs: Promise<KeyPair>[] = [];

/** Pairs that differ from each other; those of another account, or on the other database, may be the same. */
function differentPairs(): GenerateKeyPair {
  let next = 0;
  return (alg, bits) => {
    if (alg === 'ES256') return generateKeyPair(alg, bits);
    const pair = pairs[next] ?? generateKeyPair(alg, bits);
    pairs[next] = pair;
    next += 1;
    return pair;
  };
}

onServices(
  'signing keys',
  (subject) => {
    /** Services with a clock of their own, which the test alone moves, and key pairs that differ. */
    async function fresh() {
      const clock = testClock();
      clock.hold();
      const services = await testServices(subject.services.store, { clock, generateKeyPair: differentPairs() });
      return { services, account: await createTestAccount(services) };
    }

    async function states(services: Parameters<typeof listKeys>[0], account: { id: number }) {
      return (await listKeys(services, account)).map(({ alg, state }) => `${alg} ${state}`).sort();
    }

    test('a new account can sign at once with both algorithms', async () => {
      const { services, account } = await fresh();
      assert.deepEqual(await states(services, account), ['ES256 signing', 'RS256 signing']);
      const published = await services.signer.published(account);
      assert.deepEqual(published.map(({ alg }) => alg).sort(), ['ES256', 'PS256', 'RS256']);
      for (const key of published) {
        assert.match(key.kid, /^[\w-]{43}$/);
        assert.equal(key.use, 'sig');
        assert.deepEqual(
          Object.keys(key).filter((name) => ['d', 'p', 'q', 'dp', 'dq', 'qi'].includes(name)),
          [],
        );
      }
    });

    test('a rotation publishes the next keys a day before they sign, and keeps the old ones while tokens live', async () => {
      const { services, account } = await fresh();
      const { clock } = services;
      const before = await listKeys(services, account);
      await rotateKeys(services, account, { emergency: false });
      const both = ['ES256 next', 'ES256 signing', 'RS256 next', 'RS256 signing'];
      assert.deepEqual(await states(services, account), both);
      assert.equal((await services.signer.published(account)).length, 6);
      clock.advance(day - 1);
      assert.deepEqual(await states(services, account), both);
      clock.advance(1);
      assert.deepEqual(await states(services, account), [
        'ES256 retired',
        'ES256 signing',
        'RS256 retired',
        'RS256 signing',
      ]);
      assert.equal((await services.signer.published(account)).length, 6);
      clock.advance(retired);
      const published = (await services.signer.published(account)).map(({ kid }) => kid);
      assert.equal(published.length, 3);
      assert.ok(before.every(({ kid }) => !published.includes(kid)));
      assert.equal(await services.store.keys.removeRetired(account.id, clock.now()), 2);
    });

    test('a second rotation within the day changes nothing', async () => {
      const { services, account } = await fresh();
      const { keys, published } = await rotateKeys(services, account, { emergency: false });
      const next = keys.filter(({ state }) => state === 'next').map(({ kid }) => kid);
      assert.deepEqual(published.toSorted(), next.toSorted());
      assert.deepEqual(await rotateKeys(services, account, { emergency: false }), { keys, published: [] });
    });

    test('an emergency rotation signs with new keys at once and withdraws all others, including the next ones', async () => {
      const { services, account } = await fresh();
      await rotateKeys(services, account, { emergency: false });
      const old = (await listKeys(services, account)).map(({ kid }) => kid);
      services.clock.advance(1000);
      const { keys } = await rotateKeys(services, account, { emergency: true });
      assert.equal(keys.filter(({ state }) => state === 'signing').length, 2);
      const published = await services.signer.published(account);
      assert.equal(published.length, 3);
      assert.ok(published.every(({ kid }) => !old.includes(kid)));
      services.clock.advance(day);
      assert.deepEqual(
        (await states(services, account)).filter((state) => !state.endsWith('retired')),
        ['ES256 signing', 'RS256 signing'],
      );
    });

    test('keys rotate by themselves after 89 days', async () => {
      const { services, account } = await fresh();
      services.clock.advance(89 * day - 1);
      assert.equal(await rotateIfDue(services, account), 0);
      services.clock.advance(1);
      assert.equal(await rotateIfDue(services, account), 2);
      assert.equal(await rotateIfDue(services, account), 0);
      services.clock.advance(day);
      assert.equal((await states(services, account)).filter((state) => state.endsWith('signing')).length, 2);
      assert.equal(await rotateIfDue(services, account), 0);
    });

    test('one of several simultaneous rotations wins, and an emergency rotation is never lost', async () => {
      const { services, account } = await fresh();
      const before = new Set((await listKeys(services, account)).map(({ kid }) => kid));
      await Promise.all([1, 2, 3].map(() => rotateKeys(services, account, { emergency: false })));
      assert.deepEqual(await states(services, account), ['ES256 next', 'ES256 signing', 'RS256 next', 'RS256 signing']);
      await Promise.all([false, true, false].map((emergency) => rotateKeys(services, account, { emergency })));
      const signing = (await listKeys(services, account)).filter(({ state }) => state === 'signing');
      assert.equal(signing.length, 2);
      assert.ok(signing.every(({ kid }) => !before.has(kid)));
      const newest = (await services.store.keys.list(account.id)).filter(({ retiresAt }) => retiresAt === null);
      assert.equal(newest.length, 2);
    });

    test('rotations that are asked for at once make one key pair after the other, and none where one waits', async () => {
      const { services, account } = await fresh();
      let [making, most, made] = [0, 0, 0];
      const counting: GenerateKeyPair = async (alg, bits) => {
        made += 1;
        making += 1;
        most = Math.max(most, making);
        const pair = await services.generateKeyPair(alg, bits);
        making -= 1;
        return pair;
      };
      const counted = { ...services, generateKeyPair: counting };
      await Promise.all(Array.from({ length: 12 }, () => rotateKeys(counted, account, { emergency: false })));
      assert.deepEqual([made, most], [2, 1]);
      await Promise.all(Array.from({ length: 3 }, () => rotateKeys(counted, account, { emergency: true })));
      assert.deepEqual([made, most], [8, 1]);
    });

    test('no account waits for all rotations of another one', async () => {
      const { services, account } = await fresh();
      const other = await createTestAccount(services);
      const done: string[] = [];
      const ask = async (whose: string, of: typeof account) => {
        await rotateKeys(services, of, { emergency: true });
        done.push(whose);
      };
      const flood = Array.from({ length: 6 }, () => ask('flood', account));
      await Promise.all([...flood, ask('other', other)]);
      assert.ok(done.indexOf('other') <= 2, done.join(' '));
    });

    test('keys are made for others while those of one account wait to be stored', async () => {
      const { services, account } = await fresh();
      const other = await createTestAccount(services);
      const [waits, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const transaction: typeof services.store.transaction = async (work) => {
        waits.resolve();
        await stored.promise;
        return services.store.transaction(work);
      };
      const slow = rotateKeys({ ...services, store: { ...services.store, transaction } }, account, { emergency: true });
      await waits.promise;
      const { published } = await rotateKeys(services, other, { emergency: true });
      assert.equal(published.length, 2);
      stored.resolve();
      await slow;
    });

    test('a rotation that fails holds up no other', async () => {
      const { services, account } = await fresh();
      const lost = new Error('for the test');
      const transaction = () => Promise.reject(lost);
      const broken = { ...services, store: { ...services.store, transaction } };
      const [failed, done] = await Promise.allSettled([
        rotateKeys(broken, account, { emergency: true }),
        rotateKeys(services, account, { emergency: true }),
      ]);
      assert.deepEqual([failed?.status, done?.status], ['rejected', 'fulfilled']);
    });

    test('the account can still sign after the clock was set back', async () => {
      const { services, account } = await fresh();
      services.clock.advance(-5 * 60_000);
      assert.match(await services.signer.sign(account, 'RS256', 'JWT', { sub: '1' }), /^[\w-]+\.[\w-]+\.[\w-]+$/);
    });

    test('the size of new keys follows the setting of the account', async () => {
      const sizes: number[] = [];
      const generate = differentPairs();
      const services = await testServices(subject.services.store, {
        generateKeyPair: (alg, bits) => {
          sizes.push(bits);
          return generate(alg, 2048);
        },
      });
      const account = await createTestAccount(services, { settings: { signing_key_bits: '3072' } });
      await rotateKeys(services, account, { emergency: false });
      assert.deepEqual(sizes, [2048, 2048, 3072, 3072]);
    });
  },
  databases,
);
