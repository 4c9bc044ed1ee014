import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { givePasskey, type Lies, passkeyOptionsOf, showPasskey } from '../../support/passkeys.ts';
import type { ScriptedBuilds } from '../../support/scripted-builds.ts';
import { authorizePath, CookieJar, submit, walk } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { onApps } from './on-apps.ts';
import { handlerOf, stage } from './stage.ts';

// Pre-authentication (the document's §6).
onApps('pre-authentication', (app) => {
  it('chooses the policy of this sign-in only', async () => {
    const on = await stage(app());
    const strict = await on.policy({ sessionTimeoutMinutes: 7 });
    const id = await on.hook(`return { user: { policy_id: ${strict.id}, id: 1, role_ids: [1] }, success: true };`);
    assert.equal(await on.idleMinutes(await on.signIn()), 7);
    const [record, ...more] = await on.logs(id);
    assert.deepEqual(more, []);
    assert.deepEqual([record?.outcome, record?.attempt, record?.events], ['success', 1, []]);
    assert.deepEqual(await on.told('hook.policy_chosen'), [{ hook_id: id, user_id: on.user.id, policy_id: strict.id }]);
    await on.api.done(200, 'PUT', `/hooks/${id}`, {
      type: 'pre-authentication',
      function: handlerOf('return null;'),
    });
    assert.equal(await on.idleMinutes(await on.signIn()), 30, 'null: the user’s own policy');
    await on.api.done(202, 'DELETE', `/hooks/${id}`);
    assert.equal(await on.idleMinutes(await on.signIn()), 30);
    assert.equal((await on.told('hook.policy_chosen')).length, 1);
  });

  it('does not fire for a wrong password, an unknown name, or a user without access', async () => {
    const on = await stage(app());
    const id = await on.hook('return null;');
    assert.equal(await on.status(undefined, 'wrong password'), 401);
    assert.equal(await on.status('nobody@example.com'), 401);
    await setUser(on.app.services, on.app.account, on.user.id, { status: 'suspended' });
    assert.equal(await on.status(), 403);
    assert.deepEqual(await on.logs(id), []);
    await setUser(on.app.services, on.app.account, on.user.id, { status: 'active' });
    assert.equal(await on.status(), 0);
    assert.equal((await on.logs(id)).length, 1);
  });

  it('fires where all conditions hold, by id or name of a role; a value is not a pattern (S15)', async () => {
    const on = await stage(app());
    const { services, account } = on.app;
    const staff = await createRole(services, account, { name: 'Staff' });
    await createRole(services, account, { name: 'Guests' });
    const roles = (operator: string, value: string) => ({ source: 'roles', operator, value });
    const ids: Record<string, string> = {};
    const cases: Readonly<Record<string, readonly object[]>> = {
      has: [roles('~', 'Staff')],
      hasId: [roles('~', String(staff.id))],
      hasNot: [roles('!~', 'Staff')],
      both: [roles('~', 'Staff'), roles('!~', 'Guests')],
      none: [roles('~', 'Staff'), roles('~', 'Guests')],
      unknown: [roles('~', 'Nobody')],
      pattern: [roles('~', '.*')],
      slow: [roles('~', '(a+)+$')],
    };
    for (const [name, conditions] of Object.entries(cases)) ids[name] = await on.hook('return null;', { conditions });
    const fired = async () => {
      assert.equal(await on.status(), 0);
      const found: string[] = [];
      for (const [name, id] of Object.entries(ids)) {
        if ((await on.logs(id)).length > 0) found.push(name);
        await on.api.done(202, 'DELETE', `/hooks/${id}`);
        ids[name] = await on.hook('return null;', { conditions: cases[name] });
      }
      return found;
    };
    assert.deepEqual(await fired(), ['hasNot']);
    await setUser(services, account, on.user.id, { roles: ['Staff'] });
    assert.deepEqual(await fired(), ['has', 'hasId', 'both']);
  });

  it('several hooks run in order of creation, each with the policy chosen so far', async () => {
    const on = await stage(app());
    const [one, two] = [await on.policy({ sessionTimeoutMinutes: 11 }), await on.policy({ sessionTimeoutMinutes: 12 })];
    const first = await on.hook(`return { user: { policy_id: ${one.id} } };`);
    const second = await on.hook(`console.log(context.user.policy_id); return { user: { policy_id: ${two.id} } };`);
    const third = await on.hook('console.log(context.user.policy_id); return { user: {} };');
    assert.equal(await on.idleMinutes(await on.signIn()), 12);
    const lineOf = async (id: string) => (await on.logs(id))[0]?.events[0]?.split('\t')[3];
    assert.deepEqual([await lineOf(second), await lineOf(third)], [String(one.id), String(two.id)]);
    const correlations = await Promise.all(
      [first, second, third].map(async (id) => (await on.logs(id))[0]?.correlation_id),
    );
    assert.equal(new Set(correlations).size, 1);
    await on.api.done(200, 'PUT', `/hooks/${second}`, {
      type: 'pre-authentication',
      function: handlerOf('return null;'),
      disabled: true,
    });
    assert.equal(await on.idleMinutes(await on.signIn()), 11, 'disabled: it does not run');
    assert.equal((await on.logs(second)).length, 1);
  });

  it('success false refuses the sign-in, whatever else the answer says', async () => {
    const on = await stage(app());
    const id = await on.hook('return { success: false, user: { policy_id: 1 } };');
    const { answer } = await on.signIn();
    assert.equal(answer.status, 403);
    assert.match(answer.text, /You cannot sign in/);
    assert.equal((await on.logs(id))[0]?.outcome, 'refused');
    assert.deepEqual(await on.told('hook.sign_in_refused'), [{ hook_id: id, user_id: on.user.id }]);
    assert.deepEqual(await on.told('sign_in.succeeded'), []);
  });

  it('fires once per sign-in, before an expired password is replaced, and its policy applies from then on', async () => {
    const on = await stage(app());
    const chosen = await on.policy({ sessionTimeoutMinutes: 9 });
    const id = await on.hook(`return { user: { policy_id: ${chosen.id} } };`);
    await on.app.services.store.users.update(on.app.account.id, on.user.id, { status: 4 });
    const due = await on.signIn();
    assert.match(due.answer.text, /Choose a new password/);
    assert.equal((await on.logs(id)).length, 1);
    const next = 'another horse battery staple';
    const done = await submit(on.app, due, { new_password: next, new_password_confirmation: next });
    assert.equal(await on.idleMinutes(done), 9);
    assert.equal((await on.logs(id)).length, 1);
  });

  it("the chosen policy's second factor is asked for, and devices are included by their flag", async () => {
    const on = await stage(app());
    const demanding = await on.policy({ otpRequired: true });
    const role = await createRole(on.app.services, on.app.account, { name: 'Careful' });
    const id = await on.hook(
      `console.log(JSON.stringify(context.mfa_devices)); return { user: { policy_id: ${demanding.id} } };`,
      { conditions: [{ source: 'roles', operator: '~', value: String(role.id) }], mfa_device_info_enabled: true },
    );
    assert.equal(await on.idleMinutes(await on.signIn()), 30);
    await setUser(on.app.services, on.app.account, on.user.id, { roles: ['Careful'] });
    const { answer, jar } = await on.signIn();
    assert.equal(answer.status, 200);
    assert.match(answer.text, /one-time-code/);
    assert.ok(![...jar.cookies.keys()].some((name) => name.endsWith('sid')), 'nobody is signed in');
    assert.equal((await on.logs(id))[0]?.events[0]?.split('\t')[3], '[]');
  });

  it('fires after a valid passkey: chooses the policy, knows the user and the device, and refuses', async () => {
    const on = await stage(app());
    const { id: deviceId, passkey } = await givePasskey(on.app, on.user);
    const strict = await on.policy({ sessionTimeoutMinutes: 7, otpRequired: true });
    const id = await on.hook(
      `console.log(context.user.user_identifier + ' ' + context.mfa_devices[0].device_id);
      return { user: { policy_id: ${strict.id} } };`,
      { options: { mfa_device_info_enabled: true } },
    );
    const show = async (lies: Lies = {}) => {
      const at = await walk(on.app, new CookieJar(), authorizePath(on.client));
      return showPasskey(on.app, at, passkey.get(passkeyOptionsOf(at.answer.text), lies));
    };
    assert.equal((await show({ origin: 'https://evil.example' })).answer.status, 401);
    assert.deepEqual(await on.logs(id), [], 'not for a wrong one');
    assert.equal(await on.idleMinutes(await show()), 7);
    assert.equal((await on.logs(id))[0]?.events[0]?.split('\t')[3], `${on.user.email} ${deviceId}`);
    await on.api.done(202, 'DELETE', `/hooks/${id}`);
    await on.hook('return { success: false };');
    assert.equal((await show()).answer.status, 403);
  });

  it('fires in the password grant', async () => {
    const on = await stage(app(), { 'grant.password': 'on' });
    const id = await on.hook('if (context.app.name !== "Test App") throw new Error("no"); return null;');
    assert.equal((await on.passwordGrant()).status, 200);
    assert.deepEqual(
      (await on.logs(id)).map(({ outcome }) => outcome),
      ['success'],
    );
    await on.hook('return { success: false };');
    const refused = await on.passwordGrant();
    assert.deepEqual([refused.status, JSON.parse(refused.text).error], [400, 'invalid_grant']);
  });

  it('reads only its linked variables; a change applies at its next run, and no value reaches its log (S10)', async () => {
    const on = await stage(app());
    const make = (name: string, value: string) => on.api.done(201, 'POST', '/hooks/envs', { name, value });
    const linked = await make('LINKED', 'canary "one"\nline');
    await make('OTHER', 'canary-other');
    const body = `console.log(process.env.LINKED, Object.keys(process.env), JSON.stringify({ a: process.env.LINKED }));
      console.log({ deep: process.env }); throw new Error('with ' + process.env.LINKED);`;
    const id = await on.hook(body, { env_vars: ['LINKED'] });
    assert.equal(await on.status(), 403);
    const text = JSON.stringify(await on.logs(id));
    assert.match(text, /INFO\\t\*{4} \[ 'LINKED' \]/);
    assert.match(text, /ERROR\\tError: with \*{4}/);
    await on.api.done(200, 'PUT', `/hooks/envs/${linked.id}`, { value: 'canary-two' });
    await on.status();
    const [latest] = await on.logs(id, '?limit=1');
    assert.match(latest?.events[0] ?? '', /\t\*{4} \[ 'LINKED' \]/);
    await on.api.done(204, 'DELETE', `/hooks/envs/${linked.id}`);
    await on.status();
    assert.match((await on.logs(id))[0]?.events[0] ?? '', /\tundefined \[\]/);
    const events = await on.app.services.store.events.listAfter(on.app.account.id, 0, 10_000);
    assert.doesNotMatch(JSON.stringify([await on.logs(id), events, on.app.services.lines]), /canary/);
  });

  it("waits for a new version's packages; the former version keeps running if they cannot be built", async () => {
    const on = await stage(app());
    const builds = on.app.services.packageBuilds as ScriptedBuilds;
    const [one, two] = [await on.policy({ sessionTimeoutMinutes: 13 }), await on.policy({ sessionTimeoutMinutes: 14 })];
    const chosen = (id: number) => ({
      type: 'pre-authentication',
      function: handlerOf(`return { user: { policy_id: require('pick')(${id}) } };`),
      packages: { pick: '1.0.0' },
    });
    const script = '({ pick: () => (id) => id })';
    const { id, status } = await on.api.done(201, 'POST', '/hooks', chosen(one.id));
    const statusNow = async () => (await on.api.done(200, 'GET', `/hooks/${id}`)).status;
    assert.equal(status, 'create-queued');
    assert.equal(await on.idleMinutes(await on.signIn()), 30, 'not yet');
    builds.end('ready', script);
    assert.equal(await statusNow(), 'ready');
    // The build itself raises the generation; here something else does.
    await on.hook('', { function: '' });
    assert.equal(await on.idleMinutes(await on.signIn()), 13);
    assert.equal((await on.api.done(200, 'PUT', `/hooks/${id}`, chosen(two.id))).status, 'update-queued');
    assert.equal(await on.idleMinutes(await on.signIn()), 13);
    builds.end('failed');
    assert.equal(await statusNow(), 'update-failed');
    assert.equal(await on.idleMinutes(await on.signIn()), 13, 'the former version keeps running');
  });
});
