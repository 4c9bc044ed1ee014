import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, newAccount, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('accounts, facts and keys', (subject) => {
  test('an account is read back by id, subdomain and each host, hosts in their order', async () => {
    const { accounts } = subject.store;
    const hosts = [unique('z.example.com'), unique('a.example.com:8443')];
    const created = await newAccount(subject.store, { hosts, settings: { registration: 'open' }, baseUrl: 'http://x' });
    assert.deepEqual(created.hosts, hosts);
    assert.deepEqual(await accounts.find(created.id), created);
    assert.deepEqual(await accounts.findBySubdomain(created.subdomain), created);
    for (const host of hosts) assert.deepEqual(await accounts.findByHost(host), created);
    assert.ok((await accounts.list()).some(({ id }) => id === created.id));
  });

  test('an unknown account is null', async () => {
    const { accounts } = subject.store;
    assert.equal(await accounts.find(2 ** 40), null);
    assert.equal(await accounts.findBySubdomain('nobody'), null);
    assert.equal(await accounts.findByHost('nobody.example.com'), null);
    assert.equal(await accounts.update(2 ** 40, { name: 'x', hosts: ['y.example.com'] }), null);
    assert.equal(await accounts.findByHost('y.example.com'), null);
  });

  test('subdomains and hosts belong to one account, and a refused account leaves nothing', async () => {
    const { accounts } = subject.store;
    const host = unique('host');
    const first = await newAccount(subject.store, { hosts: [host] });
    const second = await newAccount(subject.store);
    const before = (await accounts.list()).length;
    assert.equal(await failureOf(newAccount(subject.store, { subdomain: first.subdomain })), 'conflict subdomain');
    assert.equal(await failureOf(newAccount(subject.store, { hosts: [unique('free'), host] })), 'conflict host');
    assert.equal(await failureOf(accounts.update(second.id, { name: 'changed', hosts: [host] })), 'conflict host');
    assert.deepEqual(await accounts.find(second.id), second);
    assert.equal((await accounts.list()).length, before);
  });

  test('an update changes the given members and replaces lists', async () => {
    const { accounts } = subject.store;
    const [kept, added] = [unique('kept'), unique('added')];
    const created = await newAccount(subject.store, { hosts: [unique('old'), kept], settings: { a: '1' } });
    const changed = await accounts.update(created.id, { hosts: [added, kept], settings: { b: '2' } });
    assert.deepEqual(changed, { ...created, hosts: [added, kept], settings: { b: '2' } });
    assert.deepEqual(await accounts.update(created.id, { name: 'New name', baseUrl: 'http://localhost' }), {
      ...changed,
      name: 'New name',
      baseUrl: 'http://localhost',
    });
    assert.deepEqual((await accounts.update(created.id, { hosts: [] }))?.hosts, []);
    assert.equal((await accounts.update(created.id, {}))?.name, 'New name');
  });

  test('a fact is written once, by the first caller', async () => {
    const { facts } = subject.store;
    const name = unique('fact');
    assert.equal(await facts.read(name), null);
    const kept = await Promise.all(Array.from({ length: 20 }, (_, at) => facts.keep(name, `value ${at}`)));
    assert.equal(new Set(kept).size, 1);
    assert.equal(await facts.read(name), kept[0]);
  });

  test('a fact can be replaced, whether there was one or not', async () => {
    const { facts } = subject.store;
    const name = unique('fact');
    await facts.replace(name, 'first');
    await facts.replace(name, 'second');
    assert.equal(await facts.read(name), 'second');
    assert.equal(await facts.keep(name, 'third'), 'second');
  });

  test('a fact that is held is changed by one transaction after the other, whether there was one or not', async () => {
    const { store } = subject;
    const name = unique('fact');
    const add = () =>
      store.transaction(async ({ facts }) => {
        await facts.replace(name, String(Number(await facts.hold(name, '0')) + 1));
      });
    await Promise.all(Array.from({ length: 10 }, add));
    assert.equal(await store.facts.read(name), '10');
  });

  test('signing keys are listed by the time they sign from, retired and removed, each in its account', async () => {
    const { keys } = subject.store;
    const { id: accountId } = await newAccount(subject.store);
    const { id: otherId } = await newAccount(subject.store);
    const key = {
      accountId,
      kid: 'second',
      alg: 'RS256',
      publicJwk: '{"kty":"RSA"}',
      sealedPrivateKey: 'sealed',
      publishedAt: now,
      signsFrom: now + 2,
      retiresAt: null,
    } as const;
    const first = { ...key, kid: 'first', signsFrom: now + 1 };
    for (const one of [key, first, { ...key, accountId: otherId }]) await keys.add(one);
    assert.deepEqual(await keys.list(accountId), [first, key]);
    assert.equal(await failureOf(keys.add(key)), 'conflict kid');
    await keys.retire(otherId, 'first', now);
    await keys.retire(accountId, 'first', now + 10);
    assert.deepEqual(await keys.list(accountId), [{ ...first, retiresAt: now + 10 }, key]);
    assert.equal(await keys.removeRetired(accountId, now + 9), 0);
    assert.equal(await keys.removeRetired(otherId, now + 10), 0);
    assert.equal(await keys.removeRetired(accountId, now + 10), 1);
    assert.deepEqual(await keys.list(accountId), [key]);
    assert.equal((await keys.list(otherId)).length, 1);
  });

  test('texts keep every character except U+0000, and impossible numbers find nothing', async () => {
    const { accounts, users } = subject.store;
    const name = 'Zoë \u{1F600} \u202E "quoted" \\ \u0001 ? $1 \n';
    const { id, settings } = await newAccount(subject.store, { name, settings: { x: name } });
    assert.equal((await accounts.find(id))?.name, name);
    assert.deepEqual(settings, { x: name });
    assert.equal(await failureOf(newAccount(subject.store, { name: 'a\0b' })), 'value_invalid');
    assert.equal(await accounts.findBySubdomain('a\0b'), null);
    assert.equal(await users.findByName(id, '\0'), null);
    for (const wrong of [1.5, Number.NaN, 2 ** 63, -1]) assert.equal(await users.find(id, wrong), null);
  });
});
