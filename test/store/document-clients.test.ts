/** Clients that are known by a metadata document. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewClientRecord } from '../../src/store/clients.ts';
import type { Store } from '../../src/store/store.ts';
import { whileUncommitted } from '../support/locks.ts';
import { newAccount, newClient, now } from './samples.ts';
import { onEachDatabase } from './suite.ts';

const most = 3;

onEachDatabase('clients with a metadata document', (subject) => {
  async function documentOf(accountId: number, path: string): Promise<NewClientRecord> {
    const { appId: _, linkedServers, usesOpenServers, ...sample } = await newClient(subject.store, accountId);
    const { previousSecretDigest, previousSecretExpiresAt, accessTokenMinutes, refreshTokenMinutes, ...rest } = sample;
    return { ...rest, clientId: `https://app.example.com/${path}`, secretDigest: null, registeredBy: 'open' };
  }
  const ensure = (store: Pick<Store, 'clients'>, client: NewClientRecord) => store.clients.ensureDocument(client, most);

  test('the first makes the row, later ones find it; another account has its own', async () => {
    const [one, two] = [await newAccount(subject.store), await newAccount(subject.store)];
    const client = await documentOf(one.id, 'a');
    const made = await ensure(subject.store, client);
    assert.deepEqual([made?.isNew, made?.client.clientId], [true, client.clientId]);
    const again = await ensure(subject.store, { ...client, name: 'Another name' });
    assert.deepEqual(again, { client: made?.client, isNew: false });
    const other = await ensure(subject.store, { ...client, accountId: two.id });
    assert.equal(other?.isNew, true);
    assert.notEqual(other?.client.appId, made?.client.appId);
    assert.deepEqual(await subject.store.clients.find(one.id, client.clientId), made?.client);
  });

  test('so many of an account, whatever other clients it has; those that are there are found', async () => {
    const account = await newAccount(subject.store);
    const client = await documentOf(account.id, 'b');
    const at = (index: number) => ({ ...client, clientId: `${client.clientId}${index}` });
    for (let index = 0; index < most; index += 1) assert.equal((await ensure(subject.store, at(index)))?.isNew, true);
    assert.equal(await ensure(subject.store, at(most)), null);
    assert.equal((await ensure(subject.store, at(0)))?.isNew, false);
    const first = await ensure(subject.store, at(0));
    await subject.store.clients.remove(account.id, first?.client.appId ?? 0, now);
    const next = await ensure(subject.store, at(0));
    assert.equal(next?.isNew, true);
    assert.notEqual(next?.client.appId, first?.client.appId);
    assert.equal(await ensure(subject.store, at(most)), null);
  });

  test('two at the same time make one row, and count one after the other', async () => {
    const account = await newAccount(subject.store);
    const client = await documentOf(account.id, 'c');
    const made: (number | undefined)[] = [];
    const second = await whileUncommitted(
      subject,
      async (tx) => {
        made.push((await ensure(tx as unknown as Store, client))?.client.appId);
      },
      () => subject.store.transaction((tx) => ensure(tx as unknown as Store, client)),
    );
    assert.deepEqual([second?.isNew, second?.client.appId], [false, made[0]]);
    const fill = (path: string) => ensure(subject.store, { ...client, clientId: `${client.clientId}/${path}` });
    await fill('1');
    const last = await Promise.all(['2', '3', '4'].map(fill));
    assert.equal(last.filter((one) => one !== null).length, 1);
  });
});
