import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replaceFirstRole } from '../../../src/domain/roles/roles-of-user.ts';
import { createRole, removeRole, updateRole } from '../../../src/domain/roles/write-role.ts';
import { clearAll, consume, count, fillGrants, fillUsers } from '../../store/filled.ts';
import { failureOf, newClient, newGrant, newUser, unique } from '../../store/samples.ts';
import { onEachDatabase } from '../../store/suite.ts';
import { whileUncommitted } from '../../support/locks.ts';
import { createTestAccount, testServices } from '../../support/services.ts';

onEachDatabase('roles', (subject) => {
  async function scene() {
    const services = await testServices(subject.store);
    const account = await createTestAccount(services);
    const told = (action: string, roleId: number) =>
      count(subject, `events where action = '${action}' and target_id = ${roleId}`);
    return { services, account, told };
  }

  test('one of two simultaneous removals of a role succeeds, and the trail records it once', async () => {
    const { services, account, told } = await scene();
    const { id } = await createRole(services, account, { name: unique('role') });
    const outcomes = await whileUncommitted(
      subject,
      (tx) => tx.roles.rename(account.id, id, unique('role')),
      () => Promise.all([1, 2].map(() => failureOf(removeRole(services, account, id)))),
      2,
    );
    assert.deepEqual(outcomes.sort(), ['not_found role', 'nothing']);
    assert.equal(await told('role.removed', id), 1);
  });

  test('a role that is removed meanwhile is not changed, and the trail records no change', async () => {
    const { services, account, told } = await scene();
    const users = await fillUsers(subject, account.id);
    const { id } = await createRole(services, account, { name: unique('role') });
    await subject.store.roles.link(account.id, 'users', id, users, 0);
    const failure = await whileUncommitted(
      subject,
      (tx) => tx.roles.remove(account.id, id, services.clock.now()),
      () => failureOf(updateRole(services, account, id, { name: unique('role'), users: [] })),
    );
    assert.equal(failure, 'not_found role');
    assert.equal(await told('role.changed', id), 0);
    await clearAll(subject);
  });

  test("a role that becomes its user's first still gives its apps, while others lose the same app", async () => {
    const { services, account } = await scene();
    const { store } = subject;
    const { appId } = await newClient(store, account.id);
    const [user, loser] = [await newUser(store, account.id), await newUser(store, account.id)];
    const roleOf = (apps: number[], users: number[]) =>
      createRole(services, account, { name: unique('role'), apps, users });
    const [former, kept] = [await roleOf([], [user.id]), await roleOf([appId], [user.id])];
    const lost = await roleOf([appId], [loser.id]);
    const cast = { accountId: account.id, appId, userId: user.id };
    await fillGrants(subject, { ...cast, userId: loser.id });
    const grant = await newGrant(store, cast);
    await updateRole(services, account, lost.id, { apps: [] });
    assert.ok((await store.findWaitingRemovals()).count > 0);
    await store.transaction((tx) => replaceFirstRole(services, tx, account, user.id, kept.id, services.clock.now()));
    assert.deepEqual(
      (await store.roles.ofUser(account.id, user.id)).map(({ id }) => id),
      [kept.id],
    );
    assert.ok(former.id !== kept.id);
    assert.equal(await consume(subject, grant), 'rotated');
    await clearAll(subject);
    assert.equal((await store.grants.find(account.id, grant.id))?.revokedAt, null);
  });
});
