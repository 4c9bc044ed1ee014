import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { givePasskey } from '../../support/passkeys.ts';
import { codeAt, giveCodes, wrongCode } from '../../support/second-factor.ts';
import { assertRefused, type Management, managing, newUser } from './managing.ts';

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const nobody = 2_147_483_647;
const unknown = '6f1c9a52-3f0e-4f0e-9a64-0d6c1c1e9b7a';
const wanted = { factor_id: 1, display_name: 'Phone' };

/** Second factors over the API (docs/document-gaps.md#management). */
export function mfa(app: () => TestApp): void {
  const now = () => app().services.clock.now();

  interface Registered {
    readonly api: Management;
    /** The resources of the user. */
    readonly of: string;
    readonly userId: number;
    readonly secret: string;
    readonly deviceId: string;
  }

  /** A user with an accepted device. */
  async function registered(): Promise<Registered> {
    const api = await managing(app());
    const { id: userId } = await newUser(api);
    const of = `/mfa/users/${userId}`;
    const made = await api.done(201, 'POST', `${of}/registrations`, { ...wanted, verified: true });
    return { api, of, userId, secret: made.factor_data.verification_token, deviceId: made.device_id };
  }

  it('a passkey is listed and removed like every device, but cannot be registered or verified here', async () => {
    const { api, of, userId, deviceId } = await registered();
    const { id } = await givePasskey(app(), { id: userId });
    const [, passkey, ...more] = await api.done(200, 'GET', `${of}/devices`);
    assert.deepEqual(more, []);
    assert.deepEqual(passkey, {
      device_id: `${id}`,
      user_display_name: 'Laptop',
      type_display_name: 'Passkey',
      auth_factor_name: 'WebAuthn',
      default: false,
    });
    const factors = await api.done(200, 'GET', `${of}/factors`);
    assert.deepEqual(
      factors.map((factor: { factor_id: number }) => factor.factor_id),
      [1],
    );
    assertRefused(
      await api.call('POST', `${of}/registrations`, { factor_id: 2, display_name: 'Key' }),
      422,
      /factor_id/,
    );
    assertRefused(await api.call('POST', `${of}/verifications`, { device_id: id }), 422, /device_id/);
    const codes = await giveCodes(app(), { id: userId });
    await api.done(204, 'DELETE', `${of}/devices/${deviceId}`);
    const { secondFactors } = app().services.store;
    assert.deepEqual([codes.length, await secondFactors.countRecoveryCodes(app().account.id, userId)], [10, 0]);
    await assert.rejects(giveCodes(app(), { id: userId }), { code: 'not_found' });
    await api.done(204, 'DELETE', `${of}/devices/${id}`);
    assert.deepEqual(await api.done(200, 'GET', `${of}/devices`), []);
    assert.deepEqual(await app().services.store.passkeys.list(app().account.id, userId), []);
  });

  it('a device is registered, accepted with its code, listed and removed', async () => {
    using _ = app().services.clock.hold();
    const api = await managing(app());
    const { id } = await newUser(api, { username: `ada.${now()}` });
    const of = `/mfa/users/${id}`;
    assert.deepEqual(await api.done(200, 'GET', `${of}/factors`), [
      { factor_id: 1, name: 'Authenticator app', auth_factor_name: 'Authenticator' },
    ]);
    const made = await api.done(201, 'POST', `${of}/registrations`, { ...wanted, expires_in: '300' });
    const { factor_data: data, ...rest } = made;
    assert.match(rest.id, uuid);
    assert.match(rest.device_id, /^\d+$/);
    assert.deepEqual(rest, {
      id: rest.id,
      user_id: `${id}`,
      status: 'pending',
      user_display_name: 'Phone',
      type_display_name: 'Authenticator app',
      auth_factor_name: 'Authenticator',
      device_id: rest.device_id,
      expires_at: new Date(now() + 300_000).toISOString(),
    });
    const url = new URL(data.totp_url);
    assert.equal(url.protocol, 'otpauth:');
    const { secret, algorithm, digits, period } = Object.fromEntries(url.searchParams);
    assert.deepEqual([secret, algorithm, digits, period], [data.verification_token, 'SHA1', '6', '30']);
    const path = `${of}/registrations/${rest.id}`;
    assert.deepEqual(await api.done(200, 'GET', path), rest, 'the key is not shown again');
    assert.deepEqual(await api.done(200, 'GET', `${of}/devices`), []);
    const code = codeAt(secret ?? '', now());
    const accepted = await api.done(200, 'PUT', path, { otp: code });
    assert.deepEqual(accepted, { ...rest, status: 'accepted', expires_at: null });
    assert.deepEqual(await api.done(200, 'GET', path), accepted);
    assertRefused(await api.call('PUT', path, { otp: code }), 422, /already been accepted/);
    assert.deepEqual(await api.done(200, 'GET', `${of}/devices`), [
      {
        device_id: rest.device_id,
        user_display_name: 'Phone',
        type_display_name: 'Authenticator app',
        auth_factor_name: 'Authenticator',
        default: true,
      },
    ]);
    const removed = await api.call('DELETE', `${of}/devices/${rest.device_id}`);
    assert.deepEqual([removed.status, removed.text], [204, '']);
    assertRefused(await api.call('DELETE', `${of}/devices/${rest.device_id}`), 404);
    assertRefused(await api.call('GET', path), 404);
    assert.deepEqual(await api.done(200, 'GET', `${of}/devices`), []);
  });

  it('a number is padded to six digits; a wrong code is 422, an expired registration 404', async () => {
    const api = await managing(app());
    const { id } = await newUser(api);
    const path = `/mfa/users/${id}/registrations`;
    const made = await api.done(201, 'POST', path, wanted);
    const wrong = wrongCode(made.factor_data.verification_token, now());
    assertRefused(await api.call('PUT', `${path}/${made.id}`, { otp: wrong }), 422, /not a code/);
    app().services.clock.advance(120_000);
    assertRefused(await api.call('GET', `${path}/${made.id}`), 404);
    assertRefused(await api.call('PUT', `${path}/${made.id}`, { otp: wrong }), 404);
    // One in ten keys has a code with a leading zero now.
    for (let tries = 0; tries < 500; tries += 1) {
      const user = await newUser(api);
      const own = `/mfa/users/${user.id}/registrations`;
      const { id: one, factor_data: data } = await api.done(201, 'POST', own, wanted);
      const code = codeAt(data.verification_token, now());
      if (!code.startsWith('0')) continue;
      assert.equal((await api.done(200, 'PUT', `${own}/${one}`, { otp: Number(code) })).status, 'accepted');
      return;
    }
    assert.fail('no code began with a zero');
  });

  it('a user has up to ten devices', async () => {
    const api = await managing(app());
    const { id } = await newUser(api);
    for (let at = 0; at < 10; at += 1) await api.done(201, 'POST', `/mfa/users/${id}/registrations`, wanted);
    assertRefused(await api.call('POST', `/mfa/users/${id}/registrations`, wanted), 422, /10 devices/);
    app().services.clock.advance(120_000);
    await api.done(201, 'POST', `/mfa/users/${id}/registrations`, wanted);
  });

  it('a verification is started, and accepted once with an unused code', async () => {
    using _ = app().services.clock.hold();
    const { api, of, secret, deviceId, userId } = await registered();
    const path = `${of}/verifications`;
    const made = await api.done(201, 'POST', path, { device_id: deviceId, expires_in: 60 });
    assert.match(made.id, uuid);
    assert.deepEqual(made, {
      id: made.id,
      user_id: `${userId}`,
      status: 'pending',
      user_display_name: 'Phone',
      type_display_name: 'Authenticator app',
      auth_factor_name: 'Authenticator',
      device_id: Number(deviceId),
      expires_at: new Date(now() + 60_000).toISOString(),
    });
    assert.deepEqual(await api.done(200, 'GET', `${path}/${made.id}`), made);
    assertRefused(await api.call('PUT', `${path}/${made.id}`, { otp: wrongCode(secret, now()) }), 422, /otp is not/);
    const code = codeAt(secret, now());
    const accepted = await api.done(200, 'PUT', `${path}/${made.id}`, { otp: code });
    assert.deepEqual(accepted, { ...made, status: 'accepted', expires_at: null });
    assert.deepEqual(await api.done(200, 'GET', `${path}/${made.id}`), accepted);
    assertRefused(await api.call('PUT', `${path}/${made.id}`, { otp: code }), 422, /already been accepted/);
    const next = await api.done(201, 'POST', path, { device_id: Number(deviceId) });
    assertRefused(await api.call('PUT', `${path}/${next.id}`, { otp: code }), 422, /used before/);
    app().services.clock.advance(120_000);
    assertRefused(await api.call('GET', `${path}/${next.id}`), 404);
    assertRefused(await api.call('PUT', `${path}/${next.id}`, { otp: codeAt(secret, now()) }), 404);
  });

  it('wrong codes lock the second factor until the user is unlocked; a recovery code verifies nothing', async () => {
    const { api, of, secret, deviceId, userId } = await registered();
    const [recovery = ''] = await giveCodes(app(), { id: userId });
    const { id } = await api.done(201, 'POST', `${of}/verifications`, { device_id: deviceId, expires_in: '900' });
    const give = (otp: string) => api.call('PUT', `${of}/verifications/${id}`, { otp });
    assertRefused(await give(recovery), 422, /otp is not/);
    for (let tries = 0; tries < 9; tries += 1) assertRefused(await give(wrongCode(secret, now())), 422);
    assertRefused(await give(codeAt(secret, now())), 422, /too many wrong codes/);
    await api.done(200, 'POST', `/users/${userId}/unlock`);
    assert.equal((await give(codeAt(secret, now()))).status, 200);
  });

  it('an unknown device, or one of another user or account, is 404', async () => {
    const { api, of, deviceId, secret } = await registered();
    const stranger = await newUser(api);
    const otp = codeAt(secret, now());
    const made = await api.done(201, 'POST', `${of}/registrations`, wanted);
    const asked = await api.done(201, 'POST', `${of}/verifications`, { device_id: deviceId });
    const elsewhere = await managing(await app().another({ 'limit.api-2': 'off' }));
    for (const [caller, user] of [
      [api, `/mfa/users/${stranger.id}`],
      [api, `/mfa/users/${nobody}`],
      [elsewhere, of],
    ] as const) {
      assertRefused(await caller.call('GET', `${user}/registrations/${made.id}`), 404);
      assertRefused(await caller.call('PUT', `${user}/registrations/${made.id}`, { otp }), 404);
      assertRefused(await caller.call('DELETE', `${user}/devices/${deviceId}`), 404);
      assertRefused(await caller.call('POST', `${user}/verifications`, { device_id: deviceId }), 404);
      assertRefused(await caller.call('GET', `${user}/verifications/${asked.id}`), 404);
      assertRefused(await caller.call('PUT', `${user}/verifications/${asked.id}`, { otp }), 404);
    }
    for (const path of ['factors', 'devices'])
      assertRefused(await api.call('GET', `/mfa/users/${nobody}/${path}`), 404);
    assertRefused(await api.call('POST', `/mfa/users/${nobody}/registrations`, wanted), 404);
    for (const id of [unknown, 'x', unknown.toUpperCase()]) {
      assertRefused(await api.call('GET', `${of}/registrations/${id}`), 404);
      assertRefused(await api.call('GET', `${of}/verifications/${id}`), 404);
    }
    assertRefused(await api.call('DELETE', `${of}/devices/x`), 404);
    assertRefused(await api.call('GET', '/mfa/users/x/devices'), 404);
  });

  it('an invalid body is 422 and changes nothing', async () => {
    const { api, of, deviceId } = await registered();
    const made = await api.done(201, 'POST', `${of}/registrations`, wanted);
    const asked = await api.done(201, 'POST', `${of}/verifications`, { device_id: deviceId });
    const bad: readonly [string, string, object[]][] = [
      [
        'POST',
        'registrations',
        [
          {},
          { factor_id: 1 },
          ...[2, '1', null].map((factor_id) => ({ ...wanted, factor_id })),
          ...['', ' x', 'x'.repeat(65), 'a\u202eb', null].map((display_name) => ({ ...wanted, display_name })),
          ...[59, 901, '59', 'soon', null].map((expires_in) => ({ ...wanted, expires_in })),
          { ...wanted, verified: 'yes' },
          { ...wanted, other: 1 },
        ],
      ],
      [
        'PUT',
        `registrations/${made.id}`,
        [{}, { otp: '' }, { otp: 1_000_000 }, { otp: -1 }, { otp: null }, { code: '1' }],
      ],
      ['POST', 'verifications', [{}, { device_id: 'x' }, { device_id: 0 }, { device_id: deviceId, other: 1 }]],
      ['PUT', `verifications/${asked.id}`, [{}, { otp: '' }, { otp: 1.5 }, { otp: '123456', other: 1 }]],
    ];
    for (const [method, path, bodies] of bad) {
      for (const body of bodies)
        assertRefused(await api.call(method, `${of}/${path}`, body), 422, /./, JSON.stringify(body));
    }
    assert.equal((await api.done(200, 'GET', `${of}/devices`)).length, 1);
  });
}
