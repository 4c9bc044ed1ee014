import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changePolicy, createPolicy, type NewPolicy } from '../../../src/domain/policies/policies.ts';
import { createRole, setRolePolicy } from '../../../src/domain/roles/write-role.ts';
import type { PolicyRecord } from '../../../src/store/policies.ts';
import type { TestApp } from '../../support/app.ts';
import { assignPolicy } from '../../support/policies.ts';
import { authorizePath, CookieJar, password, registerClient, submit, walk } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, codeOf, isSignIn, type Setting, settle, unlimited } from './browsing.ts';

const minute = 60_000;

/** What a policy decides, as a browser meets it: lockout and sessions (docs/users.md#which-policy-is-in-force). */
export function policies(app: AppOf): void {
  let names = 0;
  const make = (one: TestApp, given: Partial<NewPolicy>): Promise<PolicyRecord> => {
    names += 1;
    return createPolicy(one.services, one.account, { name: `Policy ${names}`, ...given });
  };

  async function guess(one: TestApp, setting: Setting, secret: string): Promise<number> {
    const at = await submit(one, await setting.begin(), { username: setting.user.email ?? '', password: secret });
    return at.answer.status;
  }

  async function isLive(one: TestApp, setting: Setting, jar: CookieJar, client = setting.client): Promise<boolean> {
    return !isSignIn((await walk(one, jar, authorizePath(client))).answer);
  }

  it("lockout follows the user’s policy: the user's own, else the role's", async () => {
    using _ = app().services.clock.hold();
    const one = await app().another(unlimited);
    const setting = await settle(one);
    const { id: roleId } = await createRole(one.services, one.account, { name: 'Careful' });
    const careful = await make(one, { maximumInvalidLoginAttempts: 2, lockEffectiveMinutes: 60 });
    await setRolePolicy(one.services, one.account, roleId, careful.id);
    await setUser(one.services, one.account, setting.user.id, { roles: ['Careful'] });
    for (const status of [401, 401, 401]) assert.equal(await guess(one, setting, 'wrong password'), status);
    one.services.clock.advance(60 * minute - 1);
    assert.equal(await guess(one, setting, password), 401, 'closed after two');
    one.services.clock.advance(1);
    assert.equal(await guess(one, setting, password), 200);
    const lax = await make(one, { maximumInvalidLoginAttempts: 4 });
    await assignPolicy(one.services, one.account, { userId: setting.user.id }, lax.id);
    for (let count = 0; count < 3; count += 1) assert.equal(await guess(one, setting, 'wrong password'), 401);
    assert.equal(await guess(one, setting, password), 200, 'four are allowed now');
  });

  it('lockout does not depend on the application: a lax one does not allow more guesses', async () => {
    const one = await app().another(unlimited);
    const setting = await settle(one);
    const lax = await make(one, { maximumInvalidLoginAttempts: 100 });
    await assignPolicy(one.services, one.account, { appId: setting.client.app_id }, lax.id);
    for (let count = 0; count < 10; count += 1) assert.equal(await guess(one, setting, 'wrong password'), 401);
    assert.equal(await guess(one, setting, password), 401);
  });

  it('sessions last as long as the policy of the application said at the sign-in', async () => {
    const one = await app().another(unlimited);
    const setting = await settle(one);
    const policy = await make(one, { sessionTimeoutMinutes: 5, sessionAbsoluteMinutes: 20 });
    await assignPolicy(one.services, one.account, { appId: setting.client.app_id }, policy.id);
    const jar = new CookieJar();
    codeOf(await submit(one, await setting.signIn({}, jar), { decision: 'allow' }));
    for (let passed = 4; passed < 20; passed += 4) {
      one.services.clock.advance(4 * minute);
      assert.equal(await isLive(one, setting, jar), true, `after ${passed} minutes`);
    }
    one.services.clock.advance(4 * minute);
    assert.equal(await isLive(one, setting, jar), false, 'twenty in all');
    codeOf(await setting.signIn({}, jar));
    one.services.clock.advance(5 * minute);
    assert.equal(await isLive(one, setting, jar), false, 'five unused');
  });

  it("an application may require a newer sign-in than another application's", async () => {
    using _ = app().services.clock.hold();
    const one = await app().another(unlimited);
    const setting = await settle(one);
    const strict = await registerClient(one);
    await one.services.store.access.grant(one.account.id, strict.app_id, { userId: setting.user.id }, 0);
    const policy = await make(one, { sessionAbsoluteMinutes: 10 });
    await assignPolicy(one.services, one.account, { appId: strict.app_id }, policy.id);
    const jar = new CookieJar();
    codeOf(await submit(one, await setting.signIn({}, jar), { decision: 'allow' }));
    one.services.clock.advance(10 * minute - 1);
    assert.equal(await isLive(one, setting, jar, strict), true);
    one.services.clock.advance(1);
    assert.equal(await isLive(one, setting, jar, strict), false);
    assert.equal(await isLive(one, setting, jar), true, 'the other one continues');
  });

  it('a change of the default policy takes effect at the next sign-in', async () => {
    const one = await app().another(unlimited);
    const setting = await settle(one);
    const jar = new CookieJar();
    codeOf(await submit(one, await setting.signIn({}, jar), { decision: 'allow' }));
    const [standard] = await one.services.store.policies.list(one.account.id);
    await changePolicy(one.services, one.account, standard?.id ?? 0, { sessionTimeoutMinutes: 1 });
    one.services.clock.advance(2 * minute);
    assert.equal(await isLive(one, setting, jar), true, 'the existing session keeps its limits');
    codeOf(await setting.signIn({ prompt: 'login' }, jar));
    one.services.clock.advance(minute);
    assert.equal(await isLive(one, setting, jar), false);
  });
}
