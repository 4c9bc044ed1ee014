import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import type { TestApp } from '../../support/app.ts';
import { passkeyOptionsOf, TestPasskey } from '../../support/passkeys.ts';
import { codeAt, giveDevice, keyOf, recoveryCodesOf } from '../../support/second-factor.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  readForm,
  registerClient,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { assertTold, type Told } from './told.ts';

/** Devices, codes and recovery codes. */
export function secondFactorsTold(app: () => TestApp): void {
  async function settle() {
    const { client_id, app_id: appId } = await registerClient(app());
    const user = await makeUser(app(), appId);
    const who = `user ${user.id}` as const;
    const begin = () => walk(app(), new CookieJar(), authorizePath({ client_id }));
    const signIn = async () => submit(app(), await begin(), { username: user.email ?? '', password });
    return { appId, clientId: client_id, user, who, signIn };
  }

  it('a sign-in with a device records its methods; a wrong code, and the one that locks sign-in', async () => {
    const { appId, user, who, signIn } = await settle();
    const device = await giveDevice(app(), user);
    const methods = ['pwd', 'otp', 'mfa'];
    const at = await signIn();
    await assertTold(app(), () => submit(app(), at, { otp: device.code() }), [
      ['mfa.verified', who, who, { device_id: device.id }],
      ['sign_in.succeeded', who, who, { app_id: appId, methods }],
    ]);
    const wrong: Told = ['mfa.failed', who, who, { reason: 'wrong_code' }];
    await assertTold(app(), async () => {
      let form = await signIn();
      for (let tries = 0; tries < 11; tries += 1) form = await submit(app(), form, { otp: device.wrong() });
    }, [
      ...Array.from({ length: 10 }, () => wrong),
      ['mfa.closed', who, who, { attempts: 10 }],
      ['mfa.failed', who, who, { reason: 'closed' }],
    ]);
  });

  it('an enrolment, its recovery codes, the use of one, and the removal; never a key or a code', async () => {
    const { services, account } = app();
    const { appId, user, who, signIn } = await settle();
    const methods = ['pwd', 'otp', 'mfa'];
    const { id } = await createPolicy(services, account, { name: `Otp ${user.id}`, otpRequired: true });
    await services.store.policies.assign(account.id, { userId: user.id }, id);
    const at = await signIn();
    const key = keyOf(at.answer.text);
    let shown = at;
    const { lastId } = await services.store.events.findEnd(account.id);
    shown = await submit(app(), at, { otp: codeAt(key, services.clock.now()) });
    const enrolled = await services.store.events.listAfter(account.id, lastId, 10);
    const [device] = await services.store.secondFactors.listDevices(account.id, user.id);
    assert.deepEqual(
      enrolled.map(({ action, detail }) => [action, JSON.parse(detail)]),
      [
        ['mfa.enrolled', { device_id: device?.id, factor_id: 1 }],
        ['mfa.recovery_codes_renewed', { count: 10 }],
        ['sign_in.succeeded', { app_id: appId, methods }],
      ],
    );
    const codes = recoveryCodesOf(shown.answer.text);
    const later = await signIn();
    const used = await assertTold(app(), () => submit(app(), later, { otp: codes[0] ?? '' }), [
      ['mfa.recovery_code_used', who, who, { left: 9 }],
      ['sign_in.succeeded', who, who, { app_id: appId, methods }],
    ]);
    for (const secret of [key, ...codes]) assert.ok(!JSON.stringify([enrolled, used]).includes(secret));
  });

  it('a passkey: created, renamed, used, refused and removed; never its name or the answer', async () => {
    const { appId, clientId, user, who, signIn } = await settle();
    const { jar } = await signIn();
    const path = '/account/passkeys';
    const look = () => app().send('GET', path, { headers: jar.header });
    const post = async (to: string, form: Record<string, string>) => {
      const { csrf = '' } = readForm((await look()).text).fields;
      const answer = await app().send('POST', to, { headers: jar.header, form: { csrf, ...form } });
      jar.keep(answer);
      return answer;
    };
    const passkey = new TestPasskey(app().account.baseUrl);
    const credential = passkey.create(passkeyOptionsOf((await look()).text));
    const start = await app().services.store.events.findEnd(app().account.id);
    assert.equal((await post(path, { credential, name: 'Canary laptop' })).status, 303);
    const [stored] = await app().services.store.passkeys.list(app().account.id, user.id);
    const detail = { device_id: stored?.device.id ?? 0 };
    const changed = { passkey: `${detail.device_id}`, name: 'Canary phone' };
    await assertTold(app(), () => post(`${path}/change`, { ...changed, change: 'rename' }), [
      ['mfa.renamed', who, who, detail],
    ]);
    const send = async (answerOf: (challenge: string) => string) => {
      const begun = await walk(app(), new CookieJar(), authorizePath({ client_id: clientId }));
      const { fields } = readForm(begun.answer.text);
      const { challenge } = passkeyOptionsOf(begun.answer.text);
      const form = { ...fields, credential: answerOf(challenge) };
      return app().send('POST', '/sign-in/passkey', { headers: begun.jar.header, form });
    };
    const rpId = new URL(app().account.baseUrl).hostname;
    await assertTold(app(), () => send((challenge) => passkey.get({ rpId, challenge })), [
      ['mfa.verified', who, who, detail],
      ['sign_in.succeeded', who, who, { app_id: appId, methods: ['hwk', 'user', 'mfa'] }],
    ]);
    await assertTold(app(), () => send(() => passkey.get({ rpId, challenge: 'AAAA' })), [
      ['sign_in.failed', 'user', who, { reason: 'wrong_passkey' }],
    ]);
    await assertTold(app(), () => send(() => '{}'), [['sign_in.failed', 'user', 'user', { reason: 'wrong_passkey' }]]);
    await assertTold(app(), () => post(`${path}/change`, { ...changed, change: 'remove' }), [
      ['mfa.removed', who, who, detail],
    ]);
    const all = await app().services.store.events.listAfter(app().account.id, start.lastId, 100);
    assert.doesNotMatch(JSON.stringify(all), /Canary/);
    assert.ok(!JSON.stringify(all).includes(passkey.credentialId));
  });

  it('what the management API does with devices', async () => {
    const authorization = `Bearer ${await app().bearer('manage_all')}`;
    const [credential] = (await app().services.store.callers.listCredentials(app().account.id)).slice(-1);
    const by = `credential ${credential?.id ?? 0}` as const;
    const user = await makeUser(app());
    const who = `user ${user.id}` as const;
    const call = async (method: string, path: string, json?: object) => {
      const sent = { headers: { authorization }, ...(json && { json }) };
      return (await app().send(method, `/api/2/mfa/users/${user.id}/${path}`, sent)).body;
    };
    const made = await call('POST', 'registrations', { factor_id: 1, display_name: 'Canary phone' });
    const device = { device_id: Number(made.device_id) };
    const key: string = made.factor_data.verification_token;
    const code = () => codeAt(key, app().services.clock.now());
    await assertTold(app(), () => call('PUT', `registrations/${made.id}`, { otp: code() }), [
      ['mfa.enrolled', by, who, { ...device, factor_id: 1 }],
    ]);
    app().services.clock.advance(30_000);
    const events = await assertTold(app(), async () => {
      const other = await call('POST', 'registrations', { factor_id: 1, display_name: 'Canary phone' });
      assert.equal(other.status, 'pending');
      const { id } = await call('POST', 'verifications', { device_id: made.device_id });
      await call('PUT', `verifications/${id}`, { otp: code() });
      await call('DELETE', `devices/${made.device_id}`);
    }, [
      ['mfa.registered', by, who, { device_id: device.device_id + 1, factor_id: 1 }],
      ['mfa.verification_started', by, who, device],
      ['mfa.verified', by, who, device],
      ['mfa.removed', by, who, device],
    ]);
    assert.doesNotMatch(JSON.stringify(events), /Canary/);
  });
}
