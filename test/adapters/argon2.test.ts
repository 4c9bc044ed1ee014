import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { hash } from '@node-rs/bcrypt';
import { createPasswords } from '../../src/adapters/argon2.ts';
import * as threads from '../../src/adapters/password-threads.ts';
import { failureOf } from '../store/samples.ts';

const cost = { memoryCost: 8, timeCost: 1 };
const pepper = randomBytes(32);
const share = { accountId: 1, source: '192.0.2.1' };
const passwords = createPasswords({ pepper, cores: 4, cost });

/** The password threads, and each hash that they verified a password against: the work, whatever else is running. */
function watched() {
  const verified: string[] = [];
  const hashing = {
    ...threads,
    verifyArgon2: (digest: string, password: string) => {
      verified.push(digest);
      return threads.verifyArgon2(digest, password);
    },
    verifyBcrypt: (password: string, hash: string) => {
      verified.push(hash);
      return threads.verifyBcrypt(password, hash);
    },
  };
  return { hashing, verified };
}

/** `$argon2id$v=19$m=19456,t=2,p=1` or `$2b$10`: what the work depends on. */
function parametersOf(hash = ''): string {
  return hash
    .split('$')
    .slice(0, hash.startsWith('$argon2') ? 4 : 3)
    .join('$');
}

test("a digest is argon2id with OWASP's parameters and names its pepper", async () => {
  const real = createPasswords({ pepper, cores: 2 });
  const digest = await real.digest('correct horse', share);
  assert.match(digest, /^p1:\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.ok(await real.verify('correct horse', digest, share));
  assert.ok(!(await real.verify('Correct horse', digest, share)));
});

test('the same password gets a different digest each time', async () => {
  assert.notEqual(await passwords.digest('same', share), await passwords.digest('same', share));
});

test('a password matches however its letters are composed', async () => {
  const digest = await passwords.digest('Zoe\u0308 ﬁn', share);
  assert.ok(await passwords.verify('Zoë fin', digest, share));
});

test('without the pepper a digest matches nothing', async () => {
  const digest = await passwords.digest('correct horse', share);
  const other = createPasswords({ pepper: randomBytes(32), cores: 4, cost });
  assert.ok(!(await other.verify('correct horse', digest, share)));
});

test('an unknown user is refused after the same work', async () => {
  for (const guess of ['', 'x', 'correct horse']) assert.equal(await passwords.verify(guess, null, share), false);
  const { hashing, verified } = watched();
  const real = createPasswords({ pepper, cores: 2, hashing });
  const digest = await real.digest('x', share);
  for (const stored of [digest, null]) assert.equal(await real.verify('y', stored, share), false);
  const [known, unknown] = verified;
  assert.equal(verified.length, 2);
  assert.equal(parametersOf(unknown), parametersOf(known));
  assert.equal(unknown?.length, known?.length);
});

test('a malformed digest is a fault, not a wrong password', async () => {
  for (const digest of ['', 'p2:$argon2id$v=19$', '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA', 'p1:$2b$10$x']) {
    assert.equal(await failureOf(passwords.verify('x', digest, share)), 'internal');
  }
});

test('beyond the queue callers are told to retry, and waiting ones are served', async () => {
  const one = createPasswords({ pepper, cores: 1, cost });
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => one.digest('x', share)));
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  assert.equal(refused.length, 100 - 65);
  for (const { code, detail } of refused) assert.deepEqual([code, detail.retryAfterSeconds], ['unavailable', 1]);
  assert.match(await one.digest('afterwards', share), /^p1:/);
});

test('a failed check frees its place', async () => {
  const one = createPasswords({ pepper, cores: 1, cost });
  for (let attempt = 0; attempt < 5; attempt += 1) await failureOf(one.verify('x', 'broken', share));
  assert.match(await one.digest('x', share), /^p1:/);
});

test('the holder of a kept place is not refused; everybody else is until it is freed', async () => {
  const one = createPasswords({ pepper, cores: 1, cost });
  const digest = await one.digest('x', share);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const keeping = Array.from({ length: 65 }, () =>
    one.withPlace(share, async (verify) => {
      await held;
      return verify('x', digest);
    }),
  );
  let begun = false;
  const late = one.withPlace(share, async () => {
    begun = true;
  });
  assert.equal(await failureOf(late), 'unavailable');
  assert.equal(begun, false);
  release();
  assert.deepEqual(new Set(await Promise.all(keeping)), new Set([true]));
  assert.ok(await one.verify('x', digest, share));
});

test('after an account met a bcrypt hash, each of its refusals does that work too; those of other accounts do not', async () => {
  const { hashing, verified } = watched();
  const fresh = createPasswords({ pepper, cores: 4, cost, hashing });
  const digest = await fresh.digest('x', share);
  /** The parameters of each hash that a refusal computed. */
  const workOf = async (stored: string | null, by = share) => {
    verified.length = 0;
    assert.equal(await fresh.verify('y', stored, by), false);
    return verified.map(parametersOf);
  };
  const argon2 = await workOf(digest);
  assert.equal(argon2.length, 1);
  const imported = `i1:bcrypt:${await hash('z', 5)}`;
  const bcrypt = /^\$2\w\$05$/;
  for (const stored of [imported, null, digest]) {
    const [first, second = '', ...more] = await workOf(stored);
    assert.deepEqual([first, more], [argon2[0], []]);
    assert.match(second, bcrypt);
  }
  for (const stored of [null, digest]) assert.deepEqual(await workOf(stored, { ...share, accountId: 2 }), argon2);
  assert.ok(await fresh.verify('x', digest, share));
  assert.ok(await fresh.verify('z', imported, share));
});

/** Attempts that keep the only place until `release`. */
function flooded(count: number, sourceOf: (number: number) => string) {
  const one = createPasswords({ pepper, cores: 1, cost });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const attempts = Array.from({ length: count }, (_, number) =>
    one.withPlace({ accountId: 1, source: sourceOf(number) }, async (verify) => {
      await held;
      return verify('x', null);
    }),
  );
  return { one, release, outcomes: Promise.allSettled(attempts) };
}

test("after 120 attempts from one source, the next one served is another source's", async () => {
  const { one, release, outcomes } = flooded(120, () => 'flood');
  const order: string[] = [];
  const owner = one.withPlace({ accountId: 1, source: 'owner' }, async (verify) => {
    order.push('owner begun');
    return verify('x', null);
  });
  void outcomes.then(() => order.push('flood over'));
  await new Promise(setImmediate);
  assert.deepEqual(order, ['owner begun'], 'while the flood holds all the places it may have');
  assert.equal(await owner, false);
  release();
  const refused = (await outcomes).filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 120 - 65 + 1, 'one made room');
});

test('only a request that has not begun makes room for another', async () => {
  const begun: string[] = [];
  const { one, release, outcomes } = flooded(65, (number) => `${number % 2}`);
  const many = Array.from({ length: 30 }, (_, number) =>
    one.withPlace({ accountId: 2 + number, source: `owner ${number}` }, async (verify) => {
      begun.push(`owner ${number}`);
      return verify('x', null);
    }),
  );
  release();
  const owners = await Promise.allSettled(many);
  assert.ok(owners.every(({ status }) => status === 'fulfilled'));
  const refused = (await outcomes).flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
  assert.deepEqual(refused, Array(30).fill('unavailable'));
});
