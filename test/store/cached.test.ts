import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gatherWrites } from '../../src/domain/gathered-writes.ts';
import { asOneLook, looksOfRequests } from '../../src/domain/one-look.ts';
import { cacheLookups } from '../../src/store/cached.ts';
import type { SigningKeyRecord } from '../../src/store/keys.ts';
import type { Store, StoreVerbs } from '../../src/store/store.ts';
import { openPatientStore } from '../support/stores.ts';
import { newAccount, newClient, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

/** How often the verbs of the lookups were asked of the store itself. */
function counting(store: Store): { store: Store; reads: () => number } {
  let reads = 0;
  const counted =
    <Given extends unknown[], Result>(verb: (...given: Given) => Promise<Result>) =>
    (...given: Given) => {
      reads += 1;
      return verb(...given);
    };
  const { accounts, clients, keys } = store;
  return {
    reads: () => reads,
    store: {
      ...store,
      accounts: {
        ...accounts,
        findBySubdomain: counted(accounts.findBySubdomain),
        findByHost: counted(accounts.findByHost),
      },
      clients: { ...clients, find: counted(clients.find) },
      keys: { ...keys, list: counted(keys.list) },
    },
  };
}

function newSigningKey(accountId: number): SigningKeyRecord {
  return {
    accountId,
    kid: unique('kid'),
    alg: 'ES256',
    publicJwk: '{}',
    sealedPrivateKey: 'sealed',
    publishedAt: now,
    signsFrom: now,
    retiresAt: null,
  };
}

/** The next turn of the event loop: what another process committed before it must be seen in it. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

onEachDatabase('lookups kept in memory', (subject) => {
  let elsewhere: Store;
  before(async () => {
    elsewhere = await openPatientStore(subject.url);
  });
  after(() => elsewhere.close());

  test('unchanged rows are read once', async () => {
    const { store, reads } = counting(subject.store);
    const cached = cacheLookups(store);
    const account = await newAccount(elsewhere, { hosts: [unique('host')] });
    const client = await newClient(elsewhere, account.id);
    const ask = () =>
      Promise.all([
        cached.accounts.findBySubdomain(account.subdomain),
        cached.accounts.findByHost(account.hosts[0] ?? ''),
        cached.clients.find(account.id, client.clientId),
        cached.keys.list(account.id),
      ]);
    const first = await ask();
    const before = reads();
    for (let round = 0; round < 5; round += 1) {
      await nextTurn();
      // Sign-ins and registrations change nothing that is kept.
      await elsewhere.users.countDecoyAttempt(account.id);
      await newClient(elsewhere, account.id);
      assert.deepEqual(await ask(), first);
    }
    assert.equal(reads(), before);
  });

  test('a change by another process applies to every later request', async () => {
    const cached = cacheLookups(subject.store);
    const account = await newAccount(elsewhere, { hosts: [unique('host')] });
    const client = await newClient(elsewhere, account.id);
    const find = (store: StoreVerbs) =>
      Promise.all([
        store.accounts.findBySubdomain(account.subdomain),
        store.accounts.findByHost(account.hosts[0] ?? ''),
        store.clients.find(account.id, client.clientId),
        store.keys.list(account.id),
      ]);
    const key = newSigningKey(account.id);
    const changes: readonly (() => Promise<unknown>)[] = [
      () => elsewhere.accounts.update(account.id, { name: 'Another name' }),
      () => elsewhere.accounts.update(account.id, { settings: { registration: 'closed' } }),
      () => elsewhere.keys.add(key),
      () => elsewhere.keys.retire(account.id, key.kid, now),
      () => elsewhere.clients.replaceSecret(account.id, client.appId, 'another digest'),
      () => elsewhere.keys.removeRetired(account.id, now),
      () => elsewhere.clients.remove(account.id, client.appId, now),
      () => elsewhere.accounts.update(account.id, { hosts: [] }),
    ];
    for (const change of changes) {
      const before = await find(cached);
      await change();
      await nextTurn();
      const found = await find(cached);
      assert.deepEqual(found, await find(elsewhere));
      assert.notDeepEqual(found, before, String(change));
    }
  });

  test('lookups share the next reading while one is under way, which may be older than a change', async () => {
    const account = await newAccount(elsewhere);
    const client = await newClient(elsewhere, account.id);
    const held: (() => void)[] = [];
    let isHeld = false;
    const generation: Store['generation'] = async (accountId) => {
      const found = await subject.store.generation(accountId);
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      return found;
    };
    const cached = cacheLookups({ ...subject.store, generation });
    const find = () => cached.clients.find(account.id, client.clientId);
    const before = await find();
    await nextTurn();
    isHeld = true;
    const first = find();
    while (held.length === 0) await nextTurn();
    await elsewhere.clients.replaceSecret(account.id, client.appId, 'another digest');
    const later = [find()];
    await nextTurn();
    later.push(find());
    await nextTurn();
    assert.equal(held.length, 1);
    held.shift()?.();
    assert.deepEqual(await first, before);
    while (held.at(0) === undefined) await nextTurn();
    held.shift()?.();
    for (const found of await Promise.all(later)) assert.equal(found?.secretDigest, 'another digest');
    assert.equal(held.length, 0);
  });

  test('a reading that fails does so for its own lookups', async () => {
    const account = await newAccount(elsewhere);
    let fail: ((error: Error) => void) | null = null;
    const generation: Store['generation'] = (accountId) =>
      fail ? subject.store.generation(accountId) : new Promise((_, reject) => (fail = reject));
    const cached = cacheLookups({ ...subject.store, generation });
    const first = assert.rejects(cached.keys.list(account.id), /away/);
    await nextTurn();
    const second = cached.keys.list(account.id);
    (fail as ((error: Error) => void) | null)?.(new Error('the database is away'));
    await first;
    assert.deepEqual(await second, []);
  });

  test('a request asks for the generation once, until it writes, has taken long, or it fails', async () => {
    const account = await newAccount(elsewhere);
    const client = await newClient(elsewhere, account.id);
    let asked = 0;
    let isAway = false;
    const generation: Store['generation'] = async (accountId) => {
      asked += 1;
      if (isAway) throw new Error('the database is away');
      return subject.store.generation(accountId);
    };
    const cached = cacheLookups({ ...subject.store, generation }, looksOfRequests);
    const find = async () => (await cached.clients.find(account.id, client.clientId))?.secretDigest;
    const replace = (digest: string) => elsewhere.clients.replaceSecret(account.id, client.appId, digest);
    const first = await find();
    asked = 0;
    await asOneLook(async () => {
      for (let round = 0; round < 5; round += 1) {
        await nextTurn();
        await cached.accounts.findBySubdomain(account.subdomain);
        await cached.keys.list(account.id);
        assert.equal(await find(), first);
        await cached.clients.findByApp(account.id, client.appId);
      }
      assert.equal(asked, 1);
      await replace('of another process');
      // The next request sees it, whatever this one does.
      assert.equal(await asOneLook(find), 'of another process');
      await cached.clients.replaceSecret(account.id, client.appId, 'own');
      assert.equal(await find(), 'own');
      await cached.transaction((tx) => tx.clients.replaceSecret(account.id, client.appId, 'in a transaction'));
      assert.equal(await find(), 'in a transaction');
      assert.equal(asked, 4);
    }, 60_000);
    await asOneLook(async () => {
      await find();
      await replace('of another process');
      await delay(5);
      assert.equal(await find(), 'of another process');
    }, 1);
    await nextTurn();
    await asOneLook(async () => {
      isAway = true;
      await assert.rejects(find(), /away/);
      isAway = false;
      await nextTurn();
      assert.equal(await find(), 'of another process');
    });
  });

  test('a host that moves to another account belongs to it from then on', async () => {
    const cached = cacheLookups(subject.store);
    const host = unique('host');
    const [former, next] = [await newAccount(elsewhere, { hosts: [host] }), await newAccount(elsewhere)];
    assert.equal((await cached.accounts.findByHost(host))?.id, former.id);
    await elsewhere.accounts.update(former.id, { hosts: [] });
    await elsewhere.accounts.update(next.id, { hosts: [host] });
    for (let round = 0; round < 3; round += 1) {
      await nextTurn();
      assert.equal((await cached.accounts.findByHost(host))?.id, next.id);
    }
    await elsewhere.accounts.update(next.id, { name: 'Another name' });
    await nextTurn();
    assert.equal((await cached.accounts.findByHost(host))?.name, 'Another name');
  });

  test('that nobody has agreed to a client with a document yet is read once, until somebody does', async () => {
    const { store, reads } = counting(subject.store);
    const cached = cacheLookups(store);
    const { id: accountId } = await newAccount(elsewhere);
    const clientId = `https://app.example.com/${unique('client')}.json`;
    const find = () => cached.clients.find(accountId, clientId);
    assert.equal(await find(), null);
    const before = reads();
    for (let round = 0; round < 3; round += 1) {
      await nextTurn();
      await newClient(elsewhere, accountId);
      assert.equal(await find(), null);
    }
    assert.equal(reads(), before);
    const { appId } = await newClient(elsewhere, accountId, { clientId });
    await nextTurn();
    assert.equal((await find())?.appId, appId);
    await elsewhere.clients.remove(accountId, appId, now);
    await nextTurn();
    assert.equal(await find(), null);
  });

  test('missing rows are queried each time', async () => {
    const cached = cacheLookups(subject.store);
    const subdomain = unique('account');
    assert.equal(await cached.accounts.findBySubdomain(subdomain), null);
    const account = await newAccount(elsewhere, { subdomain });
    assert.equal((await cached.accounts.findBySubdomain(subdomain))?.id, account.id);
    assert.equal(await cached.clients.find(account.id, 'nobody'), null);
    await newClient(elsewhere, account.id, { clientId: 'nobody' });
    assert.equal((await cached.clients.find(account.id, 'nobody'))?.clientId, 'nobody');
  });

  test('writes that arrive together get their own numbers, in order', async () => {
    const store = gatherWrites(subject.store);
    const account = await newAccount(store);
    const clients = await Promise.all(Array.from({ length: 40 }, () => newClient(store, account.id)));
    assert.equal(new Set(clients.map(({ appId }) => appId)).size, 40);
    for (const client of clients) assert.deepEqual(await store.clients.findByApp(account.id, client.appId), client);
    const [first] = clients;
    const tokens = await Promise.all(
      Array.from({ length: 40 }, () =>
        store.grants.addAccessToken({
          accountId: account.id,
          digest: unique('digest'),
          grantId: null,
          appId: first?.appId ?? 0,
          userId: null,
          scope: [],
          issuedAt: now,
          expiresAt: now + 1000,
          revokedAt: null,
        }),
      ),
    );
    for (const token of tokens) {
      assert.deepEqual((await store.grants.findAccessToken(account.id, token.id))?.token, token);
    }
  });

  test('clients are kept up to 16 million characters, 4 million of one account', async () => {
    const { store } = subject;
    const read: string[] = [];
    const accounts = await Promise.all(Array.from({ length: 6 }, () => newAccount(store)));
    const client = { ...(await newClient(store, accounts[0]?.id ?? 0)), name: 'x'.repeat(950_000) };
    const clients = {
      ...store.clients,
      find: async (accountId: number, clientId: string) => {
        read.push(`${accountId} ${clientId}`);
        return { ...client, accountId, clientId };
      },
    };
    const cached = cacheLookups({ ...store, generation: async () => 1, clients });
    const find = async (at: number, ids: readonly string[]) => {
      read.length = 0;
      for (const id of ids) await cached.clients.find(accounts[at]?.id ?? 0, id);
      return read.map((one) => one.split(' ')[1]);
    };
    const six = ['a', 'b', 'c', 'd', 'e', 'f'];
    assert.deepEqual(await find(0, six), six);
    // Its own first ones made room.
    assert.deepEqual(await find(0, six.slice(2)), []);
    for (const at of [1, 2, 3]) assert.deepEqual(await find(at, six.slice(2)), six.slice(2));
    assert.deepEqual(await find(0, six.slice(2)), []);
    // All is full: the oldest of all make room.
    assert.deepEqual(await find(4, ['a']), ['a']);
    assert.deepEqual(await find(0, ['d', 'e', 'f']), []);
    assert.deepEqual(await find(0, ['c']), ['c']);
  });
});
