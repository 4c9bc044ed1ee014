import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createKeyFile } from '../../../src/adapters/key-file.ts';
import { systemRandom } from '../../../src/adapters/random.ts';
import { inspectMasterKey, openMasterKey, openPepper } from '../../../src/domain/keys/master-key.ts';
import { failureOf, newAccount } from '../../store/samples.ts';
import { openTestStore, type TestStore } from '../../support/stores.ts';

describe('the master key', () => {
  const random = systemRandom;
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-key-'));
  const path = join(folder, 'deep', 'master.key');
  const file = createKeyFile(path);
  let opened: TestStore;

  before(() => {
    process.umask(0o022);
  });
  beforeEach(async () => {
    await opened?.dispose();
    rmSync(join(folder, 'deep'), { recursive: true, force: true });
    opened = await openTestStore('sqlite');
  });
  after(async () => {
    await opened.dispose();
    rmSync(folder, { recursive: true });
  });

  test('is created for an empty database, readable by its owner only, and does not change', async () => {
    const { store } = opened;
    assert.equal(await inspectMasterKey({ file, store }), null);
    const made = await openMasterKey({ file, store, random });
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, 'deep')).mode & 0o777, 0o700);
    assert.equal(Buffer.from(readFileSync(path, 'utf8'), 'base64').length, 32);
    assert.equal((await openMasterKey({ file, store, random })).kid, made.kid);
    assert.equal((await inspectMasterKey({ file, store }))?.kid, made.kid);
  });

  test('two services that start together use one key', async () => {
    const { store } = opened;
    const keys = await Promise.all([1, 2, 3].map(() => openMasterKey({ file, store, random })));
    assert.equal(new Set(keys.map(({ kid }) => kid)).size, 1);
  });

  test('is not recreated when it is missing and the database holds data', async () => {
    const { store } = opened;
    await openMasterKey({ file, store, random });
    rmSync(path);
    await assert.rejects(openMasterKey({ file, store, random }), { code: 'unavailable', message: /missing/ });
    await assert.rejects(inspectMasterKey({ file, store }), { code: 'unavailable', message: /missing/ });
    assert.throws(() => statSync(path));
  });

  test('is not created either when there are accounts but no key mark', async () => {
    const { store } = opened;
    await newAccount(store);
    await assert.rejects(openMasterKey({ file, store, random }), { message: /missing/ });
  });

  test('from another database is refused, and nothing is sealed with it', async () => {
    const { store } = opened;
    await openMasterKey({ file, store, random });
    writeFileSync(path, systemRandom.bytes(32).toString('base64'));
    await assert.rejects(openMasterKey({ file, store, random }), { message: /is not the master key/ });
    await assert.rejects(inspectMasterKey({ file, store }), { message: /is not the master key/ });
  });

  test('readable by others is refused with the remedy', async () => {
    const { store } = opened;
    await openMasterKey({ file, store, random });
    for (const mode of [0o640, 0o604, 0o610, 0o620]) {
      chmodSync(path, mode);
      await assert.rejects(openMasterKey({ file, store, random }), { message: /chmod 600/ });
    }
    chmodSync(path, 0o400);
    await openMasterKey({ file, store, random });
  });

  test('in a damaged file is refused', async () => {
    const { store } = opened;
    await openMasterKey({ file, store, random });
    for (const text of ['', 'not base64!', Buffer.alloc(31).toString('base64'), Buffer.alloc(64).toString('base64')]) {
      writeFileSync(path, text);
      assert.equal(await failureOf(openMasterKey({ file, store, random })), 'unavailable master key');
    }
  });

  test('seals the pepper, which is created once', async () => {
    const { store } = opened;
    const key = await openMasterKey({ file, store, random });
    const peppers = await Promise.all([1, 2, 3].map(() => openPepper(key, { store, random })));
    assert.equal(new Set(peppers.map((pepper) => pepper.toString('hex'))).size, 1);
    assert.equal(peppers[0]?.length, 32);
    const stored = await store.facts.read('password_pepper');
    assert.match(stored ?? '', /^v1\./);
  });
});
