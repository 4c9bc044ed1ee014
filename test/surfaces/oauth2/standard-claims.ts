import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { decodeJwt } from 'jose';
import { mapClaims, person } from '../../../scripts/conformance/person.ts';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { removeCustomAttribute } from '../../../src/domain/users/custom-attributes.ts';
import type { TestApp } from '../../support/app.ts';
import { authorizePath, CookieJar, password, redeem, refresh, submit, walk } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, settle, toClient, unlimited } from './asking.ts';

const address = {
  formatted: '12 St James’s Square, London SW1Y 4JH, United Kingdom',
  street_address: '12 St James’s Square',
  locality: 'London',
  region: 'England',
  postal_code: 'SW1Y 4JH',
  country: 'United Kingdom',
};
const phone = { phone_number: '+44 20 7946 0000', phone_number_verified: true };
const profile = {
  name: 'Ada Lovelace',
  given_name: 'Ada',
  family_name: 'Lovelace',
  preferred_username: 'ada',
  nickname: 'Countess',
  middle_name: 'King',
  profile: 'https://people.example.com/ada',
  picture: 'https://people.example.com/ada.png',
  website: 'https://ada.example.com',
  gender: 'female',
  birthdate: '1815-12-10',
  zoneinfo: 'Europe/London',
  locale: 'en-GB',
};
const discovery = '/.well-known/openid-configuration';
const everything = 'openid profile email address phone groups';

/** Claims from attributes of users: OpenID Connect Core §5.1, §5.4, the account's setting `claims_mapping`. */
export function standardClaims(app: AppOf): void {
  /** An account that maps every claim. */
  async function mapped(): Promise<TestApp> {
    const one = await app().another(unlimited);
    await mapClaims(one.services, one.account);
    return one;
  }

  const set = (one: TestApp, text: string) => setAccount(one.services, one.account.subdomain, { claims_mapping: text });

  async function userinfo(one: TestApp, token: string) {
    const { body } = await one.send('GET', '/oauth2/userinfo', { headers: { authorization: `Bearer ${token}` } });
    const { sub: _, updated_at: __, ...claims } = body;
    return claims;
  }

  /** Of the id token what userinfo has as well. */
  function ofPerson(idToken: string): Record<string, unknown> {
    const {
      sub: _,
      updated_at: __,
      iss,
      aud,
      iat,
      exp,
      auth_time,
      nonce,
      at_hash,
      amr,
      acr,
      sid,
      ...claims
    } = decodeJwt(idToken);
    return claims;
  }

  let all: TestApp;
  before(async () => {
    all = await mapped();
  });

  for (const [module, scope, claims] of [
    ['oidcc-scope-profile', 'openid profile', profile],
    ['oidcc-scope-address', 'openid address', { address }],
    ['oidcc-scope-phone', 'openid phone', phone],
    ['oidcc-scope-all', 'openid profile email address phone', { ...profile, address, ...phone }],
  ] as const) {
    it(`${module}: every standard claim of the scope, in userinfo and id tokens`, async () => {
      const { client, user, code } = await settle(all, {}, { ...person, username: `ada-${module}` });
      const tokens = await redeem(all, client, await code({ scope }));
      assert.equal(tokens.scope, scope);
      const name = scope.includes('profile') && { preferred_username: user.username };
      const email = scope.includes('email') && { email: user.email, email_verified: false };
      const wanted = { ...claims, ...name, ...email };
      assert.deepEqual(await userinfo(all, tokens.access_token), wanted);
      assert.deepEqual(ofPerson(tokens.id_token), wanted);
      assert.deepEqual(ofPerson((await refresh(all, client, tokens.refresh_token)).body.id_token), wanted);
    });
  }

  it('scopes and claims are offered only where they are mapped, and while their attributes exist', async () => {
    const one = await mapped();
    const usual = (await app().send('GET', discovery)).body;
    const offered = async () => {
      const { scopes_supported: scopes, claims_supported: claims } = (await one.send('GET', discovery)).body;
      const isNew = (list: readonly string[]) => (name: string) => !list.includes(name);
      return [scopes.filter(isNew(usual.scopes_supported)), claims.filter(isNew(usual.claims_supported))];
    };
    const known = Object.keys({ ...profile, address, ...phone });
    const added = known.filter((name) => !usual.claims_supported.includes(name));
    assert.deepEqual(
      (await offered()).map((names) => names.toSorted()),
      [['address', 'phone'], added.toSorted()],
    );
    await set(one, 'birthdate=born,phone_number=custom_attributes.nickname');
    assert.deepEqual(await offered(), [['phone'], ['birthdate', 'phone_number']]);
    const { client, code } = await settle(one, {}, person);
    const tokens = await redeem(one, client, await code({ scope: everything }));
    assert.equal(tokens.scope, 'openid profile email phone groups');
    const attributes = await one.services.store.attributes.list(one.account.id);
    const born = attributes.find(({ shortname }) => shortname === 'born');
    assert.equal((await userinfo(one, tokens.access_token)).birthdate, '1815-12-10');
    await removeCustomAttribute(one.services, one.account, born?.id ?? 0);
    assert.equal('birthdate' in (await userinfo(one, tokens.access_token)), false);
    assert.deepEqual(await offered(), [['phone'], ['phone_number']]);
    await set(one, '');
    assert.deepEqual(await offered(), [[], []]);
    assert.equal((await redeem(one, client, await code({ scope: 'openid phone' }))).scope, 'openid');
  });

  it('single claims are told where they are asked for, with their values, and others are ignored', async () => {
    const { client, code } = await settle(all, {}, { ...person, username: 'ada-single' });
    const claims = {
      userinfo: {
        nickname: { essential: true },
        gender: { value: 'male' },
        address: { value: Object.fromEntries(Object.entries(address).toReversed()) },
        phone_number_verified: { value: true },
      },
      id_token: { birthdate: null, zoneinfo: { values: ['Europe/Paris', 'Europe/London'] } },
    };
    const tokens = await redeem(all, client, await code({ scope: 'openid', claims: JSON.stringify(claims) }));
    const told = { nickname: 'Countess', address, phone_number_verified: true };
    assert.deepEqual(await userinfo(all, tokens.access_token), told);
    assert.deepEqual(ofPerson(tokens.id_token), { birthdate: '1815-12-10', zoneinfo: 'Europe/London' });
    // A claim that the account does not map brings no scope to consent to.
    const plain = await settle(app());
    const unmapped = JSON.stringify({ userinfo: { birthdate: null, address: null } });
    await plain.code({ scope: 'openid' });
    assert.ok(toClient(await plain.authorize({ scope: 'openid', claims: unmapped, prompt: 'none' })).has('code'));
  });

  it('a value that does not fit its claim is left out, and so is an address of which nothing is left', async () => {
    const { client, user, code } = await settle(all, {}, { ...person, username: 'ada-unfit' });
    const customAttributes = {
      ...Object.fromEntries(Object.keys(person.customAttributes).map((name) => [name, null])),
      born: '1815-02-30',
      time_zone: 'Middle-earth/Shire',
      page: 'javascript:alert(1)',
      picture: 'ada.png',
      website: 'https://',
      phone_checked: 'yes',
    };
    await setUser(all.services, all.account, user.id, { preferredLocaleCode: 'en_GB', customAttributes });
    const tokens = await redeem(all, client, await code({ scope: everything }));
    const { name, given_name, family_name } = profile;
    const { phone_number } = phone;
    const wanted = {
      ...{ name, given_name, family_name, preferred_username: 'ada-unfit', phone_number },
      ...{ email: user.email, email_verified: false, groups: [] },
    };
    assert.deepEqual(await userinfo(all, tokens.access_token), wanted);
    await setUser(all.services, all.account, user.id, {
      phone: '020 7946 0000',
      customAttributes: { phone_checked: 'true', town: 'London' },
    });
    const { phone_number: _, ...rest } = wanted;
    assert.deepEqual(await userinfo(all, tokens.access_token), { ...rest, address: { locality: 'London' } });
    await setUser(all.services, all.account, user.id, { customAttributes: { town: null, country: 'UK' } });
    assert.deepEqual(await userinfo(all, tokens.access_token), { ...rest, address: { country: 'UK' } });
  });

  it('id_token_claims=minimal leaves address and phone to userinfo as well', async () => {
    const one = await mapped();
    await setAccount(one.services, one.account.subdomain, { id_token_claims: 'minimal' });
    const { client, code } = await settle(one, {}, person);
    const tokens = await redeem(one, client, await code({ scope: 'openid profile address phone' }));
    assert.deepEqual(ofPerson(tokens.id_token), {});
    assert.deepEqual(await userinfo(one, tokens.access_token), { ...profile, address, ...phone });
  });

  it('the user is told what a scope shares, as the account maps it', async () => {
    const one = await mapped();
    await set(one, 'birthdate=born,nickname=nickname,address.locality=town,address.country=country,phone_number=phone');
    const { client, user } = await settle(one, {}, person);
    const at = await walk(one, new CookieJar(), authorizePath(client, { scope: everything }));
    const { answer } = await submit(one, at, { username: user.email ?? '', password });
    for (const text of [
      'First name, last name, user name, nickname and date of birth.',
      'See your postal address',
      'Town and country.',
      'See your phone number',
      'Phone number.',
    ]) {
      assert.ok(answer.text.includes(`<bdi>${text}</bdi>`), text);
    }
  });

  it('preferred_username: the user name, else what is mapped, else the e-mail address with its scope', async () => {
    const one = await mapped();
    await set(one, 'preferred_username=nickname');
    const { client, user, code } = await settle(one, {}, { ...person, username: undefined });
    const tokens = await redeem(one, client, await code());
    const told = async () => (await userinfo(one, tokens.access_token)).preferred_username;
    assert.equal(await told(), 'Countess');
    await setUser(one.services, one.account, user.id, { username: user.email });
    assert.equal(await told(), 'Countess', 'an e-mail address is no name');
    await setUser(one.services, one.account, user.id, { username: 'ada' });
    assert.equal(await told(), 'ada');
    await setUser(one.services, one.account, user.id, { username: null, customAttributes: { nickname: null } });
    assert.equal(await told(), user.email);
  });

  it('a client that registered scopes gets no others, and one that registered address waits for the mapping', async () => {
    const one = await app().another(unlimited);
    const { client, code, authorize } = await settle(one, { scope: 'openid address' });
    assert.equal(toClient(await authorize({ scope: 'address phone' })).get('error'), 'invalid_scope');
    assert.equal((await redeem(one, client, await code({ scope: everything }))).scope, 'openid');
    await mapClaims(one.services, one.account);
    const tokens = await redeem(one, client, await code({ scope: everything }));
    assert.equal(tokens.scope, 'openid address');
    await set(one, '');
    // What was granted goes on without its claims; it is not offered any more.
    const asked = { scope: 'openid address' };
    assert.equal((await refresh(one, client, tokens.refresh_token, '/oauth2/token', asked)).body.scope, 'openid');
    assert.deepEqual(await userinfo(one, tokens.access_token), {});
  });
}
