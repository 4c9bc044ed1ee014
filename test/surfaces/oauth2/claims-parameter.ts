import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeJwt } from 'jose';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { giveDevice } from '../../support/second-factor.ts';
import {
  authorizePath,
  CookieJar,
  password,
  redeem,
  refresh,
  registerClient,
  signInForCode,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { type AppOf, assertClientError, assertErrorPage, settle, toClient } from './asking.ts';

const single = 'urn:gatehouse:acr:single-factor';
const multi = 'urn:gatehouse:acr:multi-factor';

/** The parameter `claims`: OpenID Connect Core §5.5. */
export function claimsParameter(app: AppOf): void {
  const claimsOf = (claims: object) => ({ claims: JSON.stringify(claims) });
  const userinfo = async (token: string) =>
    (await app().send('GET', '/oauth2/userinfo', { headers: { authorization: `Bearer ${token}` } })).body;

  it('single claims are returned where they were requested, and nothing else of their scope', async () => {
    const role = `Role ${Math.random()}`;
    await createRole(app().services, app().account, { name: role });
    const { client, user, code } = await settle(app(), {}, { roles: [role] });
    const asked = { userinfo: { email: { essential: true }, groups: null }, id_token: { given_name: null } };
    const tokens = await redeem(app(), client, await code({ scope: 'openid', ...claimsOf(asked) }));
    const sub = String(user.id);
    assert.deepEqual(await userinfo(tokens.access_token), { sub, email: user.email, groups: [role] });
    const { given_name: given, name, email } = decodeJwt(tokens.id_token);
    assert.deepEqual([given, name, email], ['Ada', undefined, undefined]);
    assert.equal(tokens.scope, 'openid');
    // Userinfo tells them for as long as the grant lives; a refreshed id token tells what its scope says (§12.2).
    const refreshed = (await refresh(app(), client, tokens.refresh_token)).body;
    assert.deepEqual(await userinfo(refreshed.access_token), { sub, email: user.email, groups: [role] });
    assert.equal(decodeJwt(refreshed.id_token)['given_name'], undefined);
  });

  it('a claim requested with values is returned only with one of them (§5.5.1)', async () => {
    const { client, user, code } = await settle(app());
    const wanted = {
      email: { value: user.email },
      given_name: { values: ['Grace', 'Ada'] },
      family_name: { value: 'Hopper' },
      name: { values: [] },
    };
    const tokens = await redeem(app(), client, await code({ scope: 'openid', ...claimsOf({ userinfo: wanted }) }));
    assert.deepEqual(await userinfo(tokens.access_token), {
      sub: String(user.id),
      email: user.email,
      given_name: 'Ada',
    });
  });

  it('unknown claims are ignored, and so are those that the client may not learn', async () => {
    const client = await registerClient(app(), { scope: 'openid profile' });
    const { user } = await settle(app(), { scope: 'openid' });
    await grantAccess(app().services, app().account, client.app_id, { user: user.email ?? '' });
    const asked = {
      userinfo: { email: { essential: true }, birthdate: null, __proto__: null, constructor: null, 'name#ja': null },
      id_token: { iss: { value: 'https://evil.example' }, aud: null, email: null },
      other: { name: null },
    };
    const query = await signInForCode(app(), client, user, { scope: 'openid', ...claimsOf(asked) });
    const tokens = await redeem(app(), client, query.get('code') ?? '');
    assert.deepEqual(await userinfo(tokens.access_token), { sub: String(user.id) });
    assert.equal(decodeJwt(tokens.id_token).iss, app().account.baseUrl);
    assert.equal(decodeJwt(tokens.id_token)['email'], undefined);
  });

  it('the user is asked about the scope of a single claim, once', async () => {
    const { client, user, jar } = await settle(app());
    const asked = { scope: 'openid', ...claimsOf({ userinfo: { email: null } }) };
    let at = await walk(app(), jar, authorizePath(client, { scope: 'openid' }));
    at = await submit(app(), at, { username: user.email ?? '', password });
    at = await submit(app(), at, { decision: 'allow' });
    assert.ok(toClient(at.answer).has('code'));
    const silent = await walk(app(), jar, authorizePath(client, { ...asked, prompt: 'none' }));
    assertClientError(app(), silent.answer, 'consent_required');
    at = await walk(app(), jar, authorizePath(client, asked));
    assert.match(at.answer.text, /See your e-mail address/);
    at = await submit(app(), at, { decision: 'allow' });
    assert.ok(toClient(at.answer).has('code'));
    const again = await walk(app(), jar, authorizePath(client, { ...asked, prompt: 'none' }));
    assert.ok(toClient(again.answer).has('code'));
  });

  it('anything but a JSON object is invalid_request, a text that is too long is reported on a page', async () => {
    const client = await registerClient(app());
    for (const claims of ['x', '[]', 'null', '1', '{"userinfo":[]}', '{"id_token":"x"}', '{"a":', '"{}"']) {
      assertClientError(app(), await app().send('GET', authorizePath(client, { claims })), 'invalid_request');
    }
    const deep = `${'{"userinfo":'.repeat(300)}{}${'}'.repeat(300)}`;
    assert.equal((await app().send('GET', authorizePath(client, { claims: deep }))).status, 303);
    assertErrorPage(await app().send('GET', authorizePath(client, { claims: ' '.repeat(4097) })));
  });

  it('an essential acr is satisfied or the sign-in fails (§5.5.1.1)', async () => {
    const { client, user, jar } = await settle(app());
    const acr = (values: object) => claimsOf({ id_token: { acr: { essential: true, ...values } } });
    const unknown = await app().send('GET', authorizePath(client, acr({ values: ['urn:x', 'urn:y'] })));
    assertClientError(app(), unknown, 'unmet_authentication_requirements');
    let at = await walk(app(), jar, authorizePath(client, acr({ value: single })));
    at = await submit(app(), at, { username: user.email ?? '', password });
    at = await submit(app(), at, { decision: 'allow' });
    const { id_token: token } = await redeem(app(), client, toClient(at.answer).get('code') ?? '');
    assert.equal(decodeJwt(token)['acr'], single);
    const silent = await walk(app(), jar, authorizePath(client, { ...acr({ value: multi }), prompt: 'none' }));
    assertClientError(app(), silent.answer, 'interaction_required');
    const device = await giveDevice(app(), user);
    at = await walk(app(), jar, authorizePath(client, acr({ values: [multi] })));
    at = await submit(app(), at, { otp: device.code() });
    const raised = await redeem(app(), client, toClient(at.answer).get('code') ?? '');
    assert.equal(decodeJwt(raised.id_token)['acr'], multi);
    // A stronger method than requested does not match either.
    const less = await walk(app(), jar, authorizePath(client, acr({ value: single })));
    assertClientError(app(), less.answer, 'unmet_authentication_requirements');
    // Not essential: a wish, in the order of preference.
    const wish = claimsOf({ id_token: { acr: { values: ['urn:x', single] } } });
    const fine = await walk(app(), new CookieJar(), authorizePath(client, { ...wish, acr_values: multi }));
    assert.match(fine.answer.text, /name="password"/);
  });
}
