import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listDevices } from '../../../src/domain/second-factor/devices.ts';
import { giveDevice } from '../../support/second-factor.ts';
import { CookieJar, password, submit, walk } from '../../support/sign-in.ts';
import { onApps } from './on-apps.ts';
import { handlerOf, stage } from './stage.ts';

// What functions are given (the document's §6 and §9).
onApps('contexts', (app) => {
  it('gets the context of its version', async () => {
    using _ = app().services.clock.hold();
    const on = await stage(app());
    const { app: one, client, user } = on;
    const [standard] = await one.services.store.policies.list(one.account.id);
    const id = await on.hook('console.log(JSON.stringify(context));', { failed_login_attempts_enabled: true });
    const contextOf = async (userAgent: string) => {
      await on.signIn(undefined, undefined, userAgent);
      const [record] = await on.logs(id);
      assert.ok(record);
      return { context: JSON.parse(record.events[0]?.split('\t')[3] ?? ''), record };
    };
    await on.signIn(undefined, 'wrong password');
    const agent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148';
    const { context, record } = await contextOf(agent);
    assert.deepEqual(context, {
      context_version: '1.1.0',
      user: { user_identifier: user.email, policy_id: standard?.id, id: user.id, last_login_success: null },
      device: { user_agent: agent, is_mobile: true },
      app: { id: client.app_id, uuid: client.client_id, name: 'Test App' },
      failed_login_attempts: 1,
      correlation_id: record.correlation_id,
      request_id: record.request_id,
    });
    assert.notEqual(context.correlation_id, context.request_id);
    const body = { type: 'pre-authentication', function: handlerOf('console.log(JSON.stringify(context));') };
    const old = { ...body, context_version: '1.0.0', failed_login_attempts_enabled: true };
    await on.api.done(200, 'PUT', `/hooks/${id}`, old);
    const { context: older, record: next } = await contextOf('curl/8.0');
    assert.deepEqual(older, {
      context_version: '1.0.0',
      user: { user_identifier: user.email, policy_id: standard?.id },
      device: { user_agent: 'curl/8.0', is_mobile: false },
      correlation_id: next.correlation_id,
      request_id: next.request_id,
    });
    await on.api.done(200, 'PUT', `/hooks/${id}`, { ...body, context_version: '>=1.0.0' });
    const ranged = (await contextOf('curl/8.0')).context;
    assert.equal(ranged.context_version, '1.1.0', 'the version that the range selects');
    const lastLogin = ranged.user.last_login_success;
    assert.equal(lastLogin, new Date(one.services.clock.now()).toISOString());
  });

  it('describes a sign-in to the account pages as one without an app', async () => {
    const on = await stage(app());
    const id = await on.hook('console.log(JSON.stringify(context.app)); return null;');
    const at = await walk(on.app, new CookieJar(), '/account');
    const { answer } = await submit(on.app, at, { username: on.user.email ?? '', password });
    assert.match(answer.text, /<h1>Your account<\/h1>/);
    const told = JSON.parse((await on.logs(id))[0]?.events[0]?.split('\t')[3] ?? '');
    assert.deepEqual(told, { id: 0, uuid: '00000000-0000-0000-0000-000000000000', name: 'your account' });
    const refusing = await on.hook('return { success: false };');
    const again = await walk(on.app, new CookieJar(), '/account');
    const refused = await submit(on.app, again, { username: on.user.email ?? '', password });
    assert.equal(refused.answer.status, 403);
    assert.deepEqual(await on.told('hook.sign_in_refused'), [{ hook_id: refusing, user_id: on.user.id }]);
  });

  it('contains devices, risk and location only where their flags say so', async () => {
    using _ = app().services.clock.hold();
    const on = await stage(app());
    const { services } = on.app;
    const device = await giveDevice(on.app, on.user);
    const createdAt = new Date(services.clock.now()).toISOString();
    const flags = ['mfa_device_info_enabled', 'risk_enabled', 'location_enabled'];
    const source = { type: 'pre-authentication', function: handlerOf('console.log(JSON.stringify(context));') };
    const { id } = await on.api.done(201, 'POST', '/hooks', source);
    const given = async (...named: string[]) => {
      services.clock.advance(30_000);
      const options = Object.fromEntries(flags.map((flag) => [flag, named.includes(flag)]));
      await on.api.done(200, 'PUT', `/hooks/${id}`, { ...source, options });
      const due = await on.signIn();
      const context = JSON.parse((await on.logs(id, '?limit=1'))[0]?.events[0]?.split('\t')[3] ?? '');
      const { mfa_devices, risk, location } = context;
      return { told: { mfa_devices, risk, location }, due };
    };
    const nothing = { mfa_devices: undefined, risk: undefined, location: undefined };
    assert.deepEqual((await given()).told, nothing);
    const [expected] = await listDevices(services, on.app.account, on.user.id);
    const known = {
      device_id: String(device.id),
      auth_factor_id: expected?.factorId,
      auth_factor_name: expected?.authFactorName,
      type_display_name: expected?.typeDisplayName,
      user_display_name: 'Phone',
      default: true,
      created_at: createdAt,
      last_used_at: null,
    };
    const { told, due } = await given('mfa_device_info_enabled');
    assert.deepEqual(told, { ...nothing, mfa_devices: [known] });
    await submit(on.app, due, { otp: device.code() });
    const used = new Date(services.clock.now()).toISOString();
    assert.equal((await given('mfa_device_info_enabled')).told.mfa_devices[0].last_used_at, used);
    const { location, ...others } = (await given('location_enabled')).told;
    assert.deepEqual([Object.keys(location).sort(), others.risk], [['country_code', 'ip'], undefined]);
    const first = await given('risk_enabled');
    assert.deepEqual(first.told, { ...nothing, risk: { score: 0, reasons: [] } });
    await submit(on.app, first.due, { otp: device.code() });
    for (let wrong = 0; wrong < 3; wrong += 1) await on.signIn(undefined, 'wrong password');
    const risk = { score: 15, reasons: ['recent_failures'] };
    assert.deepEqual((await given('risk_enabled')).told, { ...nothing, risk });
    assert.ok(!Object.values((await given(...flags)).told).includes(undefined));
  });
});
