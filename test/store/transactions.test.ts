import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import { failureOf, newAccount, newCast, newCode, newGrant, newUser, now, present, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('transactions', (subject) => {
  test('all changes are there afterwards, and the result is returned', async () => {
    const { store } = subject;
    const [account, user] = await store.transaction(async (tx) => {
      const account = await newAccount(tx, { hosts: [unique('host')] });
      return [account, await newUser(tx, account.id)];
    });
    assert.deepEqual(await store.accounts.find(account.id), account);
    assert.deepEqual(await store.users.find(account.id, user.id), user);
  });

  test('no change is there if the work throws, and its error is passed on', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const grant = await newGrant(store, cast);
    const code = newCode(cast);
    const host = unique('host');
    const work = store.transaction(async (tx) => {
      await newAccount(tx, { subdomain: host, hosts: [host] });
      await tx.authorizations.createCode(code);
      await tx.grants.consumeAll([present(grant)]);
      await tx.grants.consumeAll([present(grant), present(grant)]);
      await tx.grants.revoke(cast.accountId, grant.id, now, 'sign_out');
      await tx.users.remove(cast.accountId, cast.userId, now);
      throw new Failure('grant_invalid', { reason: 'for the test' });
    });
    assert.equal(await failureOf(work), 'grant_invalid');
    assert.equal(await store.accounts.findByHost(host), null);
    assert.equal(await store.authorizations.findCode(cast.accountId, code.digest), null);
    assert.deepEqual(await store.grants.find(cast.accountId, grant.id), grant);
    assert.ok(await store.users.find(cast.accountId, cast.userId));
    const thrown = new Error('anything');
    await assert.rejects(
      store.transaction(async () => {
        throw thrown;
      }),
      thrown,
    );
  });

  test('a batch consumed in a transaction is durable with it', async () => {
    const { store } = subject;
    const grant = await newGrant(store, await newCast(store));
    const outcomes = await store.transaction((tx) => tx.grants.consumeAll([present(grant), present(grant)]));
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['rotated', 'repeated'],
    );
    assert.equal((await store.grants.find(grant.accountId, grant.id))?.generation, 1);
  });

  test('two transactions that wait for each other both succeed, one after the other', async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const [ada, bob] = [await newUser(store, accountId), await newUser(store, accountId)];
    let attempts = 0;
    const started = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const rename = (order: readonly { id: number }[], turn: number) =>
      store.transaction(async (tx) => {
        attempts += 1;
        for (const [index, { id }] of order.entries()) {
          await tx.users.update(accountId, id, { firstname: `${turn}` });
          started[turn]?.resolve();
          // SQLite lets the second one begin only when the first has ended.
          if (index === 0 && store.kind === 'postgres') await Promise.all(started.map(({ promise }) => promise));
        }
      });
    await Promise.all([rename([ada, bob], 0), rename([bob, ada], 1)]);
    // The one that gives way may be quick enough to meet the other a second time.
    assert.ok(store.kind === 'postgres' ? attempts >= 3 : attempts === 2, String(attempts));
    const [one, other] = [await store.users.find(accountId, ada.id), await store.users.find(accountId, bob.id)];
    assert.equal(one?.firstname, other?.firstname);
  });

  test('a conflict rolls back only its verb', async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const emailKey = unique('email');
    await newUser(store, accountId, { emailKey });
    const kept = await store.transaction(async (tx) => {
      const before = await newUser(tx, accountId);
      assert.equal(await failureOf(newUser(tx, accountId, { emailKey })), 'conflict email');
      assert.equal(await failureOf(tx.users.update(accountId, before.id, { emailKey })), 'conflict email');
      assert.equal(await failureOf(tx.roles.link(accountId, 'users', 2 ** 40, [before.id], now)), 'not_found');
      return [before, await newUser(tx, accountId)];
    });
    for (const user of kept) assert.deepEqual(await store.users.find(accountId, user.id), user);
  });

  test('simultaneous verbs run one after the other, so that a conflict affects no other', async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const emailKey = unique('email');
    await newUser(store, accountId, { emailKey });
    await store.transaction((tx) =>
      Promise.all([
        tx.roles.create({ accountId, name: 'staff', createdAt: now }),
        failureOf(newUser(tx, accountId, { emailKey })),
        tx.facts.keep(`${emailKey} fact`, 'kept'),
      ]),
    );
    assert.ok(await store.roles.findByName(accountId, 'staff'));
    assert.equal(await store.facts.read(`${emailKey} fact`), 'kept');
  });

  test('a caught error does not let a partial transaction commit', async () => {
    const { store } = subject;
    const cast = await newCast(store);
    const code = newCode(cast);
    const work = store.transaction(async (tx) => {
      await tx.roles.create({ accountId: cast.accountId, name: 'staff', createdAt: now });
      await tx.authorizations.createCode({ ...code, userId: cast.userId + 1000 }).catch(() => {});
    });
    assert.equal(await failureOf(work), 'not_found');
    assert.equal(await store.roles.findByName(cast.accountId, 'staff'), null);
  });

  test('the outer store fails at once inside a transaction, and works again after it', async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const started = performance.now();
    await store.transaction(async (tx) => {
      assert.equal(await failureOf(store.accounts.find(accountId)), 'internal');
      assert.equal(await failureOf(store.grants.consumeAll([])), 'internal');
      assert.equal(await failureOf(store.transaction(async () => {})), 'internal');
      assert.equal(await failureOf(store.ping()), 'internal');
      assert.equal(await failureOf(store.purge({ table: 'codes', now, from: null, limit: 1 })), 'internal');
      assert.ok(await tx.accounts.find(accountId));
    });
    assert.ok(performance.now() - started < 30_000, 'it did not wait for the connection');
    assert.ok(await store.accounts.find(accountId));
  });

  test('what a failed transaction had still to do is not done, whatever shares its commit', async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const role = (name: string) => ({ accountId, name, createdAt: now });
    const late = ['late 1', 'late 2', 'late 3', 'late 4'];
    const failing = () =>
      store.transaction((tx) => {
        const one = async () => {
          for (const name of late) await tx.roles.create(role(name));
        };
        return Promise.all([Promise.reject(new Error('mine')), one()]);
      });
    const kept = (name: string) => store.transaction((tx) => tx.roles.create(role(name)));
    const settled = await Promise.allSettled([kept('first'), failing(), kept('second')]);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.ok(await store.roles.findByName(accountId, 'first'));
    assert.ok(await store.roles.findByName(accountId, 'second'));
    for (const name of late) assert.equal(await store.roles.findByName(accountId, name), null);
  });

  test('a handle that outlives its transaction writes nothing', async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const tx = await store.transaction(async (inner) => ({ inner }));
    await assert.rejects(tx.inner.roles.create({ accountId, name: 'late', createdAt: now }));
    assert.equal(await store.roles.findByName(accountId, 'late'), null);
  });

  test('simultaneous transactions see each other completely or not at all', async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const code = newCode(await newCast(store));
    await store.authorizations.createCode(code);
    const used = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        store.transaction(async (tx) => {
          const first = await tx.authorizations.consumeCode(code.accountId, code.digest, now);
          return first ? tx.roles.create({ accountId, name: `role ${at}`, createdAt: now }) : null;
        }),
      ),
    );
    const [role, ...others] = used.flatMap((one) => one ?? []);
    assert.ok(role);
    assert.deepEqual(others, []);
    assert.deepEqual(await store.roles.find(accountId, role.id), role);
  });
});
