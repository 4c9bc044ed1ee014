import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { readConfig } from '../src/config.ts';
import { prepareDemo } from '../src/demo.ts';
import { createAccount, findAccountByHost, listAccounts } from '../src/domain/accounts/accounts.ts';
import { authenticatePair } from '../src/domain/callers/authenticate-pair.ts';
import { shareOf } from '../src/domain/fair-queue/share.ts';
import { requireUser } from '../src/domain/users/users.ts';
import { type TestServices, testServices } from './support/services.ts';
import { openTestStore, type TestStore } from './support/stores.ts';

describe('the demo account', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-demo-'));
  const file = join(folder, 'demo.json');
  let opened: TestStore;
  let services: TestServices;

  beforeEach(async () => {
    opened = await openTestStore('sqlite');
    services = await testServices(opened.store, { addresses: configOf(3000).addresses });
  });
  afterEach(async () => {
    await opened.dispose();
    rmSync(file, { force: true });
  });
  after(() => rmSync(folder, { recursive: true }));

  function configOf(port: number) {
    return readConfig({ PORT: String(port), MASTER_KEY_FILE: join(folder, 'master.key') });
  }

  test('has credentials with all scopes and an active user with a first and a last name', async () => {
    const text = await prepareDemo(services, configOf(3000));
    const demo = JSON.parse(readFileSync(file, 'utf8'));
    for (const secret of [demo.credential.client_secret, demo.api_key, demo.user.password, demo.docs_url]) {
      assert.ok(text.includes(secret));
    }
    const [account] = await listAccounts(services);
    assert.ok(account);
    assert.equal(demo.account_id, account.id);
    const { client_id, client_secret } = demo.credential;
    const { scopes } = await authenticatePair(services, account, {
      authorization: undefined,
      clientId: client_id,
      clientSecret: client_secret,
      source: '127.0.0.1',
    });
    assert.deepEqual(scopes, ['manage_all']);
    const user = await requireUser(services.store, account, demo.user.email);
    assert.deepEqual([user.status, Boolean(user.firstname), Boolean(user.lastname)], [1, true, true]);
    assert.ok(await services.passwords.verify(demo.user.password, user.passwordDigest, shareOf(account)));
    for (const host of ['localhost:3000', '127.0.0.1:3000', 'demo.localhost:3000']) {
      assert.equal((await findAccountByHost(services, host))?.id, account.id, host);
    }
  });

  test('is created by one of two services that start together', async () => {
    const texts = await Promise.all([1, 2].map(() => prepareDemo(services, configOf(3000))));
    assert.equal((await listAccounts(services)).length, 1);
    assert.ok(texts.includes('') && texts.some((text) => text.includes('Password')));
  });

  test('is not created if an account exists, and another account named demo stays unchanged', async () => {
    await createAccount(services, { subdomain: 'demo' });
    assert.equal(await prepareDemo(services, configOf(3000)), '');
    assert.equal((await listAccounts(services))[0]?.baseUrl, 'http://demo.localhost:3000');
  });

  test('says how to get new secrets when the file is missing', async () => {
    await prepareDemo(services, configOf(3000));
    assert.match(await prepareDemo(services, configOf(3000)), /demo secrets are in/);
    rmSync(file);
    assert.match(await prepareDemo(services, configOf(4000)), /credential create --account demo/);
  });
});
