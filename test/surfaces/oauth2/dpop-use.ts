import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exchangeGrant } from '../../../src/domain/clients/known-values.ts';
import { accessTokenType } from '../../../src/domain/tokens/token-set.ts';
import { deviceGrant } from '../../support/devices.ts';
import { askWithProof, newProofKey, nonceOf, proofFor } from '../../support/dpop.ts';
import { readTable } from '../../support/rows.ts';
import {
  CookieJar,
  clientAuthentication,
  makeUser,
  redirectUri,
  registerClient,
  signInForCode,
} from '../../support/sign-in.ts';
import { type AppOf, assertError, codeForm, unlimited } from './asking.ts';

const open = { token_endpoint_auth_method: 'none' };

/** A proof of a key is good once, and is kept only where it opened something (RFC 9449 §11.1). */
export function dpopUse(app: AppOf): void {
  it('a refused request stores nothing of its proof, at every door', async () => {
    const key = await newProofKey();
    const one = await app().another({ ...unlimited, 'grant.password': 'on' });
    const grantTypes = ['authorization_code', 'refresh_token', 'password', 'client_credentials', deviceGrant];
    const client = await registerClient(one, { grant_types: [...grantTypes, exchangeGrant] });
    const kept = async () => (await readTable(one.url, 'client_assertions')).length;
    const nonce = await nonceOf(one, client, key);
    const before = await kept();
    const token = { subject_token: 'x', subject_token_type: accessTokenType };
    for (const form of [
      codeForm('x'),
      { grant_type: 'refresh_token', refresh_token: 'x' },
      { grant_type: 'password', username: 'nobody', password: 'x' },
      { grant_type: 'client_credentials', resource: 'https://none.example.com' },
      { grant_type: deviceGrant, device_code: 'x' },
      { grant_type: exchangeGrant, ...token },
    ]) {
      const answer = await askWithProof(one, client, key, form, { nonce });
      assert.equal(answer.status, 400, answer.text);
      assert.notEqual(answer.body.error, 'invalid_dpop_proof');
    }
    const own = clientAuthentication(client);
    const dpopHeader = await proofFor(one, key, 'POST', '/oauth2/par', { claims: { nonce } });
    const pushed = await one.send('POST', '/oauth2/par', {
      headers: { ...own.headers, dpop: dpopHeader },
      form: { ...own.form, response_type: 'code', redirect_uri: redirectUri, prompt: 'create' },
    });
    assertError(pushed, 400, 'invalid_request', /prompt/);
    assert.equal(await kept(), before);
  });

  it('a wrong code does not use up a proof, and a used proof does not use up a code', async () => {
    const key = await newProofKey();
    const client = await registerClient(app(), open);
    const user = await makeUser(app(), client.app_id);
    const jar = new CookieJar();
    const newCode = async () => (await signInForCode(app(), client, user, {}, jar)).get('code') ?? '';
    const [first, second] = [await newCode(), await newCode()];
    const claims = { jti: 'the same for all', nonce: await nonceOf(app(), client, key) };
    const ask = (code: string) => askWithProof(app(), client, key, codeForm(code), { claims });
    assertError(await ask('x'), 400, 'invalid_grant');
    assert.equal((await ask(first)).status, 200);
    assertError(await ask(second), 400, 'invalid_dpop_proof', /jti has been used before/);
    assert.equal((await askWithProof(app(), client, key, codeForm(second))).status, 200);
  });

  it('a proof that one client used is refused from another one of the account, at both doors', async () => {
    const key = await newProofKey();
    const [one, two] = [await registerClient(app(), open), await registerClient(app(), open)];
    const user = await makeUser(app(), one.app_id);
    await app().services.store.access.grant(
      app().account.id,
      two.app_id,
      { userId: user.id },
      app().services.clock.now(),
    );
    const jar = new CookieJar();
    const codeOf = async (client: typeof one) => (await signInForCode(app(), client, user, {}, jar)).get('code') ?? '';
    const ask = (client: typeof one, form: Record<string, string>, jti: string) =>
      askWithProof(app(), client, key, form, { claims: { jti } });
    const first = await ask(one, codeForm(await codeOf(one)), 'a');
    assert.equal(first.status, 200, first.text);
    const code = await codeOf(two);
    assertError(await ask(two, codeForm(code), 'a'), 400, 'invalid_dpop_proof', /jti has been used before/);
    const second = await ask(two, codeForm(code), 'b');
    assert.equal(second.status, 200, second.text);
    const refreshing = (answer: typeof first) => ({
      grant_type: 'refresh_token',
      refresh_token: String(answer.body.refresh_token),
    });
    assertError(await ask(one, refreshing(first), 'b'), 400, 'invalid_dpop_proof', /jti has been used before/);
    assert.equal((await ask(one, refreshing(first), 'c')).status, 200);
    const documented = { door: '/oidc/2/token', claims: { jti: 'c' } } as const;
    const refused = await askWithProof(app(), two, key, refreshing(second), documented);
    assert.equal(refused.status, 400, refused.text);
  });

  it('one of several simultaneous requests with one proof is granted, whatever they request', async () => {
    const key = await newProofKey();
    const client = await registerClient(app(), { ...open, grant_types: ['authorization_code', 'refresh_token'] });
    const user = await makeUser(app(), client.app_id);
    const jar = new CookieJar();
    const codes: string[] = [];
    for (let i = 0; i < 4; i += 1) codes.push((await signInForCode(app(), client, user, {}, jar)).get('code') ?? '');
    const claims = { jti: 'one for four', nonce: await nonceOf(app(), client, key) };
    const ask = (code: string) => askWithProof(app(), client, key, codeForm(code), { claims });
    const statuses = (await Promise.all(codes.map(ask))).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 400, 400, 400]);
  });
}
