import assert from 'node:assert/strict';
import { it } from 'node:test';
import { basic, type TestApp } from '../../support/app.ts';
import { registerSigner, shown, sign, testKey } from '../../support/assertions.ts';
import { registerClient } from '../../support/sign-in.ts';
import { assertRefused, managing } from './managing.ts';

const hour = 3_600_000;

async function staged(app: TestApp) {
  const one = await app.another({ 'limit.client-auth': 'off' });
  const api = await managing(one);
  const client = await registerClient(one);
  const rotate = (body?: object) => api.call('POST', `/apps/${client.app_id}/secret`, body);
  /** Whether the client may come in with the secret. */
  const opens = async (secret: string) => {
    const form = { grant_type: 'client_credentials' };
    const { status } = await one.send('POST', '/oauth2/token', { headers: basic(client.client_id, secret), form });
    assert.ok([200, 401].includes(status));
    return status === 200;
  };
  return { one, api, client, rotate, opens, first: client.client_secret ?? '' };
}

export function appSecrets(app: () => TestApp): void {
  it('a new secret is valid at once and the former one for another hour', async () => {
    using _ = app().services.clock.hold();
    const { one, client, rotate, opens, first } = await staged(app());
    const answer = await rotate();
    assert.equal(answer.status, 200, answer.text);
    const { client_secret: second, ...rest } = answer.body;
    const until = one.services.clock.now() + hour;
    assert.deepEqual(rest, { client_id: client.client_id, previous_secret_expires_at: new Date(until).toISOString() });
    assert.deepEqual([await opens(second), await opens(first), await opens('cs_wrong')], [true, true, false]);
    one.services.clock.advance(hour - 1);
    assert.equal(await opens(first), true);
    one.services.clock.advance(1);
    assert.deepEqual([await opens(second), await opens(first)], [true, false]);
  });

  it('older secrets end at once, and so does the former one with an overlap of 0', async () => {
    const { rotate, opens, first } = await staged(app());
    const second = (await rotate({ overlap_minutes: 1440 })).body.client_secret;
    const third = (await rotate({})).body.client_secret;
    assert.deepEqual([await opens(first), await opens(second), await opens(third)], [false, true, true]);
    const fourth = await rotate({ overlap_minutes: 0 });
    assert.equal(fourth.body.previous_secret_expires_at, null);
    const now = [await opens(second), await opens(third), await opens(fourth.body.client_secret)];
    assert.deepEqual(now, [false, false, true]);
  });

  it('a client that signs has method 3 and no secret; the method requires keys', async () => {
    const { one, api, client, rotate } = await staged(app());
    const method = (value: number) => ({ configuration: { token_endpoint_auth_method: value } });
    const refused = await api.call('PUT', `/apps/${client.app_id}`, method(3));
    assertRefused(refused, 422, /configuration\.token_endpoint_auth_method private_key_jwt requires/);
    assert.equal((await rotate()).status, 200);
    const key = await testKey('ES256', 'k');
    const signer = await registerSigner(one, [key], { grant_types: ['client_credentials'] });
    const path = `/apps/${signer.app_id}`;
    const read = async () => (await api.done(200, 'GET', path)).configuration.token_endpoint_auth_method;
    assert.equal(await read(), 3);
    assertRefused(await api.call('POST', `${path}/secret`, {}), 422, /token_endpoint_auth_method/);
    const opens = async () => {
      const form = { grant_type: 'client_credentials', ...shown(await sign(one, signer.client_id, key)) };
      return (await one.send('POST', '/oauth2/token', { form })).status;
    };
    assert.equal(await opens(), 200);
    await api.done(200, 'PUT', path, { ...method(1), name: 'Leaves' });
    assert.deepEqual([await read(), await opens()], [1, 400]);
    await api.done(200, 'PUT', path, method(3));
    assert.deepEqual([await read(), await opens()], [3, 200], 'its keys are unchanged');
  });

  it('a client with method none has no secret; changing its method creates one', async () => {
    const { api, client, rotate, opens, first } = await staged(app());
    const path = `/apps/${client.app_id}`;
    await rotate();
    await api.done(200, 'PUT', path, { configuration: { token_endpoint_auth_method: 2 } });
    assertRefused(await rotate(), 422, /token_endpoint_auth_method/);
    await api.done(200, 'PUT', path, { configuration: { token_endpoint_auth_method: 0 } });
    assert.deepEqual([await opens(first), await opens('')], [false, false]);
    const { body } = await rotate();
    assert.equal(body.previous_secret_expires_at, null);
    assert.equal(await opens(body.client_secret), true);
  });

  it('an invalid member is 422 with its name', async () => {
    const { rotate } = await staged(app());
    for (const body of [{ overlap_minutes: -1 }, { overlap_minutes: 1441 }, { overlap_minutes: '5' }]) {
      assertRefused(await rotate(body), 422, /overlap_minutes/);
    }
    assertRefused(await rotate({ unknown: 1 }), 422, /unknown/);
  });

  it('only the answers to creation and change contain a secret', async () => {
    const { api, client, rotate, first } = await staged(app());
    const { body } = await rotate();
    for (const path of ['/apps', `/apps/${client.app_id}`]) {
      const { text } = await api.call('GET', path);
      assert.ok(!text.includes(first) && !text.includes(body.client_secret) && !/secret"/.test(text));
    }
  });
}
