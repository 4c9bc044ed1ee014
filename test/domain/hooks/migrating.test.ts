import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { comparable } from '../../support/comparable.ts';
import { dump } from '../../support/rows.ts';
import { onApps } from './on-apps.ts';
import { stage } from './stage.ts';

const migration = { type: 'user-migration' };
const known = `if (context.user_identifier !== 'ada@old.example' || context.password !== 'old canary password') return null;
  console.log('known', context.password);
  return { success: true, user: { email: 'ada@old.example', username: 'ada.old', password: context.password,
    firstname: 'Ada', lastname: 'Lovelace', department: 'Mills', status: 3, policy_id: 1, role_ids: [1], id: 1 } };`;

// User-migration (the document's §6, rule 2).
onApps('user migration', (app) => {
  async function staged(settings: Readonly<Record<string, string>> = {}) {
    const on = await stage(app(), settings);
    const { services, account } = on.app;
    const { id: roleId } = await createRole(services, account, { name: 'Migrated' });
    await setAccount(services, account.subdomain, { hook_migration_roles: 'Migrated' });
    await grantAccess(services, account, on.client.app_id, { role: 'Migrated' });
    return { ...on, roleId };
  }
  const typed = 'old canary password';

  it('creates a user that it knows, once; the next time no hook fires (A2)', async () => {
    const on = await staged();
    const id = await on.hook(known, migration);
    const fired = await on.hook('return null;');
    assert.equal(await on.status('ADA@old.example', 'not the password'), 401);
    assert.equal(await on.status('ada@old.example', typed), 0);
    const user = await on.app.services.store.users.findByName(on.app.account.id, 'ada@old.example');
    const detailed = await on.app.services.store.users.findDetailed(on.app.account.id, user?.id ?? 0);
    assert.deepEqual(
      [user?.firstname, user?.username, user?.status, detailed?.department, detailed?.policyId],
      ['Ada', 'ada.old', 1, 'Mills', null],
    );
    const runs = (await on.logs(id)).length;
    assert.equal(await on.status('ada@old.example', typed), 0);
    assert.equal(await on.status('ada.old', typed), 0);
    assert.equal(await on.status('ada@old.example', 'not the password'), 401);
    assert.equal((await on.logs(id)).length, runs);
    assert.equal((await on.logs(fired)).length, 3, 'pre-authentication fires for a migrated user too');
    assert.deepEqual(await on.told('user.migrated'), [{ hook_id: id }]);
    assert.deepEqual(await on.told('role.assigned'), [{ role_id: on.roleId }]);
    assert.equal((await on.told('user.created')).length, 2);
    const everything = JSON.stringify([await on.logs(id), on.app.services.lines, await dump(on.app.url)]);
    assert.doesNotMatch(everything, /old canary password/);
    assert.match((await on.logs(id, '?sort=created_at')).map(({ events }) => events.join()).join(), /\tknown \*{4}/);
  });

  it('includes the version of the context, as the document says of every hook', async () => {
    const on = await staged();
    const write = 'console.log(JSON.stringify(context)); return null;';
    const older = await on.hook(write, { ...migration, context_version: '1.0.0' });
    const newest = await on.hook(write, migration);
    assert.equal(await on.status('ada@old.example', typed), 401);
    for (const [id, version] of [
      [older, '1.0.0'],
      [newest, '1.1.0'],
    ] as const) {
      const [record] = await on.logs(id);
      assert.deepEqual(JSON.parse(record?.events[0]?.split('\t')[3] ?? ''), {
        context_version: version,
        user_identifier: 'ada@old.example',
        password: '****',
        correlation_id: record?.correlation_id,
        request_id: record?.request_id,
      });
    }
  });

  it('50 simultaneous sign-ins create one user (A2)', async () => {
    const on = await staged({ 'limit.hooks': 'off' });
    // Once the user exists, the others are attempts for that user, of which only this many are checked at once.
    await on.policy({ isDefault: true, maximumInvalidLoginAttempts: 100 });
    const id = await on.hook(known, migration);
    const statuses = await Promise.all(Array.from({ length: 50 }, () => on.status('ada@old.example', typed)));
    // More passwords at once than the service keeps places for are asked to come again.
    assert.ok(
      statuses.every((status) => status === 0 || status === 503),
      statuses.join(),
    );
    assert.ok(statuses.includes(0));
    const users = await on.app.services.store.users.list(on.app.account.id);
    assert.equal(users.filter(({ email }) => email === 'ada@old.example').length, 1);
    assert.equal((await on.told('user.migrated')).length, 1);
    const runs = async () => (await on.api.call('GET', `/hooks/${id}/logs?limit=1`)).headers['total-count'];
    const before = await runs();
    assert.equal(await on.status('ada@old.example', typed), 0);
    assert.equal(await runs(), before, 'next time no hook fires');
  });

  it('any other answer is refused like a wrong password, and no user is created', async () => {
    const on = await staged();
    await on.policy({ isDefault: true, maximumInvalidLoginAttempts: 100 });
    const answers = [
      'null',
      '{ success: false }',
      '{ success: true }',
      '{ user: { email: "x@old.example", password: "p" } }',
      '{ success: true, user: { email: "x@old.example" } }',
      '{ success: true, user: { email: "other@old.example", password: "p" } }',
      '{ success: true, user: { email: 5, password: "p" } }',
      '{ success: true, user: { email: "x@old.example", password: "p", custom_attributes: [] } }',
      '{ success: true, user: { email: "x@old.example", password: "p", custom_attributes: { none: "x" } } }',
      '{ success: true, user: { email: "x@old.example", password: "p", firstname: " x" } }',
      '(() => { throw new Error("x"); })()',
    ];
    const wrong = await on.signIn(undefined, 'wrong');
    const chosen = answers.map((answer, at) => `if (context.password === 'way-${at}') return ${answer};`).join('\n');
    const id = await on.hook(chosen, migration);
    for (const [at, answer] of answers.entries()) {
      on.app.services.clock.advance(1000);
      const refused = await on.signIn('x@old.example', `way-${at}`);
      assert.equal(refused.answer.status, 401, answer);
      assert.equal(comparable(refused, 'x@old.example').text, comparable(wrong, on.user.email ?? '').text, answer);
      const [record] = await on.logs(id, '?limit=1');
      assert.ok(['refused', 'invalid_result', 'error'].includes(record?.outcome ?? ''), `${answer} ${record?.outcome}`);
      if (!answer.includes('other@')) continue;
      const fault = 'neither email nor username of the user is the name that was typed';
      assert.equal(record?.events.at(-1)?.split('\t').at(-1), `invalid_result: ${fault}`);
    }
    assert.deepEqual(await on.told('user.migrated'), []);
  });

  it('a hook cannot take over an existing user (S12)', async () => {
    const on = await staged();
    const own = on.user.email ?? '';
    await on.hook(
      `return { success: true, user: { email: '${own}', username: context.user_identifier, password: 'p' } };`,
      migration,
    );
    assert.equal(await on.status('intruder', 'p'), 401);
    assert.equal(await on.status(own, 'p'), 401);
    assert.equal(await on.status(), 0);
  });

  it('does not fire in the password grant', async () => {
    const on = await staged({ 'grant.password': 'on' });
    const id = await on.hook('return null;', migration);
    assert.equal((await on.passwordGrant()).status, 200);
    assert.deepEqual(await on.logs(id), []);
  });
});
