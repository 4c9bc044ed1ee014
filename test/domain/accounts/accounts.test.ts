import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createAccount,
  findAccountByHost,
  isServiceHost,
  listAccounts,
  moveAccount,
  requireAccount,
  setAccount,
} from '../../../src/domain/accounts/accounts.ts';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { failureOf, unique } from '../../store/samples.ts';
import { createTestAccount } from '../../support/services.ts';
import { onServices } from '../subject.ts';

onServices('accounts', (subject) => {
  test('a new account has an address, a data key and signing keys', async () => {
    const { services } = subject;
    const subdomain = unique('new');
    const account = await createAccount(services, { subdomain });
    assert.equal(account.baseUrl, `https://${subdomain}.gatehouse.example`);
    assert.equal(account.name, subdomain);
    assert.deepEqual(account.hosts, []);
    assert.equal(account.settings.registration, 'token');
    assert.deepEqual(await requireAccount(services, subdomain), account);
    assert.ok((await listAccounts(services)).some(({ id }) => id === account.id));
    assert.equal((await services.signer.published(account)).length, 3);
  });

  test('the service knows its hosts, with or without a port', async () => {
    const { services } = subject;
    const host = `${unique('own')}.customer.example`;
    await createAccount(services, { subdomain: unique('own'), hosts: [host] });
    for (const own of [host, 'gatehouse.example', 'any.gatehouse.example:8443', 'a.b.gatehouse.example']) {
      assert.equal(await isServiceHost(services, own), true, own);
    }
    for (const other of ['customer.example', 'notgatehouse.example', 'gatehouse.example.net']) {
      assert.equal(await isServiceHost(services, other), false, other);
    }
  });

  test('a second account with the same subdomain or host is refused and leaves nothing', async () => {
    const { services } = subject;
    const host = `${unique('id')}.customer.example`;
    const { subdomain } = await createAccount(services, { subdomain: unique('a'), hosts: [host] });
    assert.equal(await failureOf(createAccount(services, { subdomain })), 'conflict subdomain');
    const other = unique('b');
    assert.equal(
      await failureOf(createAccount(services, { subdomain: other, hosts: [host.toUpperCase()] })),
      'conflict host',
    );
    assert.equal(await failureOf(requireAccount(services, other)), 'not_found account');
  });

  test('a subdomain is one label of lower-case letters, digits and hyphens, and must not be reserved', async () => {
    const { services } = subject;
    for (const subdomain of ['', 'A', '-a', 'a-', 'a.b', 'a_b', 'ä', 'x'.repeat(64), 'api', 'app', 'a\n', '../a']) {
      assert.equal(await failureOf(createAccount(services, { subdomain })), 'value_invalid subdomain', subdomain);
    }
    await createAccount(services, { subdomain: unique('x'.repeat(40)) });
  });

  test('an extra host must be a host outside the service domain', async () => {
    const { services } = subject;
    for (const host of [
      'a b',
      'https://a.example',
      'a.example/x',
      'user@a.example',
      'a.example:x',
      'b.gatehouse.example',
      '*.a.example',
      '',
    ]) {
      assert.equal(
        await failureOf(createAccount(services, { subdomain: unique(), hosts: [host] })),
        'value_invalid host',
        host,
      );
    }
    const baseUrl = 'https://x.example/path';
    assert.equal(await failureOf(createAccount(services, { subdomain: unique(), baseUrl })), 'value_invalid base_url');
  });

  test('a Host header names the account in any case, with or without the default port', async () => {
    const { services } = subject;
    const host = `${unique('id')}.customer.example`;
    const { id, subdomain } = await createAccount(services, { subdomain: unique('h'), hosts: [host, `${host}:8443`] });
    const names = [`${subdomain}.gatehouse.example`, host];
    for (const name of [...names, ...names.map((given) => `${given}:443`), `${host}:8443`, host.toUpperCase()]) {
      assert.equal((await findAccountByHost(services, name))?.id, id, name);
    }
    for (const name of [
      `${subdomain}.gatehouse.example:80`,
      `${subdomain}.gatehouse.example.`,
      `x.${subdomain}.gatehouse.example`,
      `${subdomain}.other.example`,
      `${subdomain}gatehouse.example`,
      'gatehouse.example',
      'api.gatehouse.example',
      subdomain,
      '',
      `${host}:8444`,
    ]) {
      assert.equal(await findAccountByHost(services, name), null, name);
    }
  });

  test('settings can be changed and reset to defaults; invalid ones are refused by name', async () => {
    const { services } = subject;
    const { subdomain } = await createTestAccount(services);
    const changed = await setAccount(services, subdomain, { 'refresh.grace_seconds': '20', 'limit.api-2': 'off' });
    assert.equal(changed.settings.refreshGraceSeconds, 20);
    assert.equal(changed.settings.limits['api-2'], null);
    assert.equal(
      await failureOf(setAccount(services, subdomain, { 'refresh.grace_seconds': '61' })),
      'value_invalid refresh.grace_seconds',
    );
    assert.equal(await failureOf(setAccount(services, subdomain, { nonsense: '1' })), 'value_invalid nonsense');
    const restored = await setAccount(services, subdomain, { 'refresh.grace_seconds': '' });
    assert.equal(restored.settings.refreshGraceSeconds, 10);
    assert.equal(restored.settings.limits['api-2'], null);
    assert.equal(await failureOf(setAccount(services, 'nobody', {})), 'not_found account');
  });

  for (const [setting, member] of [
    ['registration_roles', 'registrationRoles'],
    ['open_registration_roles', 'openRegistrationRoles'],
  ] as const) {
    test(`${setting}: the roles must exist`, async () => {
      const { services } = subject;
      const account = await createTestAccount(services);
      const change = { [setting]: 'guests' };
      assert.equal(await failureOf(setAccount(services, account.subdomain, change)), 'not_found role');
      await createRole(services, account, { name: 'guests' });
      const { settings } = await setAccount(services, account.subdomain, change);
      assert.deepEqual(settings[member], ['guests']);
    });
  }

  test('an account can move to another address', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    const [from, to] = [`${unique('a')}:3000`, `${unique('a')}:4000`];
    const first = await moveAccount(services, account, { hosts: [from], baseUrl: `http://${from}` });
    assert.equal(first.baseUrl, `http://${from}`);
    await moveAccount(services, account, { hosts: [to], baseUrl: `http://${to}` });
    assert.equal(await findAccountByHost(services, from), null);
    assert.equal((await findAccountByHost(services, to))?.id, account.id);
  });
});
