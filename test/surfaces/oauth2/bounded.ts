import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { shown, sign, type TestKey, testKey } from '../../support/assertions.ts';
import type { Answer } from '../../support/conforms.ts';
import { askWithProof, newProofKey, nonceOf } from '../../support/dpop.ts';
import { givePasskey, passkeyOptionsOf, showPasskey } from '../../support/passkeys.ts';
import { countRows } from '../../support/rows.ts';
import { byTurns } from '../../support/sample.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  makeUser,
  password,
  type RegisteredClient,
  redeem,
  redirectUri,
  refresh,
  registerClient,
  signedIn,
  signInForCode,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, codeForm, settle, unlimited } from './asking.ts';

const publicClient = { token_endpoint_auth_method: 'none', application_type: 'native' };
const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessToken = 'urn:ietf:params:oauth:token-type:access_token';
/** With the status that a refused token has there. */
const doors = [
  ['/oauth2/token', 400],
  ['/oidc/2/token', 401],
] as const;

function assertLimited(answer: Answer): void {
  assert.equal(answer.status, 429, answer.text);
  assert.ok(Number(answer.headers['retry-after']) > 0);
}

function statusesOf(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status);
}

async function inTurn(times: number, ask: (index: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let index = 0; index < times; index += 1) answers.push(await ask(index));
  return answers;
}

/** What a stranger, or a client that anybody could register, makes the service keep. */
export function bounded(app: AppOf): void {
  const kept = (one: TestApp, table: string, where = '1 = 1') =>
    countRows(one.url, `select 1 as one from ${table} where account_id = ${one.account.id} and ${where}`);
  const refusals = (one: TestApp) => kept(one, 'events', "action = 'refresh.refused'");
  const openly = async (one: TestApp, more: object): Promise<RegisteredClient> => {
    const json = { client_name: 'Open App', redirect_uris: [redirectUri], ...more };
    const answer = await one.send('POST', '/oauth2/register', { json });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const openSigner = (one: TestApp, key: TestKey) =>
    openly(one, { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } });

  for (const [row, [door, refused]] of doors.entries()) {
    const atTurn = byTurns(it, row, doors.length);
    atTurn(`a dead refresh token is recorded once at ${door}, however often it is sent`, async () => {
      const one = await app().another(unlimited);
      const { client, tokens } = await signedIn(one);
      await askRevocation(one, client, tokens.refresh_token);
      await inTurn(3, () => refresh(one, client, tokens.refresh_token, door));
      assert.equal(await refusals(one), 1);
      await Promise.all(Array.from({ length: 5 }, () => refresh(one, client, tokens.refresh_token, door)));
      assert.equal(await refusals(one), 1);
    });

    atTurn(
      `refused refreshes of a public client's grant are limited at ${door}, those of other grants are not`,
      async () => {
        const one = await app().another({ ...unlimited, 'limit.public-client': '3/h' });
        const { client, user, tokens } = await signedIn(one, publicClient);
        const dead = await redeem(one, client, (await signInForCode(one, client, user)).get('code') ?? '');
        await askRevocation(one, client, dead.refresh_token);
        let live = tokens.refresh_token;
        for (let index = 0; index < 5; index += 1) {
          const { status, body } = await refresh(one, client, live, door);
          assert.equal(status, 200);
          live = body.refresh_token;
        }
        const answers = await inTurn(5, () => refresh(one, client, dead.refresh_token, door));
        assert.deepEqual(statusesOf(answers), [refused, refused, refused, 429, 429]);
        for (const answer of answers.slice(3)) assertLimited(answer);
        assert.equal((await refresh(one, client, live, door)).status, 200);
        const other = await signedIn(one, publicClient);
        assert.equal((await refresh(one, other.client, other.tokens.refresh_token, door)).status, 200);
      },
    );

    atTurn(`refreshing a dead token stores nothing of its proof at ${door}`, async () => {
      const one = await app().another(unlimited);
      const { client, tokens } = await signedIn(one, publicClient);
      await askRevocation(one, client, tokens.refresh_token);
      const key = await newProofKey();
      const nonce = await nonceOf(one, client, key, door);
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
      const answers = await inTurn(3, () => askWithProof(one, client, key, form, { door, nonce }));
      assert.deepEqual(statusesOf(answers), [refused, refused, refused]);
      assert.equal(await kept(one, 'client_assertions'), 0);
    });

    atTurn(`a used proof refreshes nothing at ${door}, and uses up no token`, async () => {
      const { client, tokens } = await signedIn(app(), publicClient);
      const key = await newProofKey();
      const claims = { jti: 'once', nonce: await nonceOf(app(), client, key, door) };
      const ask = (token: string) =>
        askWithProof(app(), client, key, { grant_type: 'refresh_token', refresh_token: token }, { door, claims });
      const first = await ask(tokens.refresh_token);
      assert.equal(first.status, 200, first.text);
      const next: string = first.body.refresh_token;
      for (const answer of [await ask(next), await ask(tokens.refresh_token)]) {
        assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_dpop_proof'], answer.text);
      }
      const form = { grant_type: 'refresh_token', refresh_token: next };
      assert.equal((await askWithProof(app(), client, key, form, { door })).status, 200);
    });

    atTurn(`one of several simultaneous refreshes with one proof is granted at ${door}`, async () => {
      const { client, tokens } = await signedIn(app(), publicClient);
      const key = await newProofKey();
      const claims = { jti: 'one for five', nonce: await nonceOf(app(), client, key, door) };
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
      const ask = () => askWithProof(app(), client, key, form, { door, claims });
      const answers = await Promise.all([ask(), ask(), ask(), ask(), ask()]);
      assert.deepEqual(statusesOf(answers).sort(), [200, 400, 400, 400, 400]);
    });
  }

  it('refused refreshes of a client with a secret are not limited, as it must know the secret', async () => {
    const one = await app().another({ ...unlimited, 'limit.public-client': '1/h' });
    const { client, tokens } = await signedIn(one);
    await askRevocation(one, client, tokens.refresh_token);
    const answers = await inTurn(3, () => refresh(one, client, tokens.refresh_token));
    assert.deepEqual(statusesOf(answers), [400, 400, 400]);
  });

  it('assertions of clients of open registration are limited per source, at every endpoint', async () => {
    const one = await app().another({ ...unlimited, registration: 'open', 'limit.public-client': '4/h' });
    const key = await testKey('ES256', 'k');
    const clients = [await openSigner(one, key), await openSigner(one, key)];
    const asked: readonly [path: string, form: Record<string, string>, status: number][] = [
      ['/oauth2/token', codeForm('x'), 400],
      ['/oauth2/introspect', { token: 'x' }, 200],
      ['/oauth2/revoke', { token: 'x' }, 200],
      ['/oauth2/par', { response_type: 'code', redirect_uri: redirectUri, prompt: 'create' }, 400],
    ];
    const send = async (at: number) => {
      const [path = '', form = {}] = asked[at % asked.length] ?? [];
      const own = shown(await sign(one, clients[at % 2]?.client_id ?? '', key));
      return one.send('POST', path, { form: { ...form, ...own } });
    };
    assert.deepEqual(
      statusesOf(await inTurn(asked.length, send)),
      asked.map(([, , status]) => status),
    );
    for (const answer of await inTurn(asked.length, send)) assertLimited(answer);
    assert.equal(await kept(one, 'client_assertions'), 4);
  });

  for (const [title, more] of [
    ['public', publicClient],
    ['open', {}],
  ] as const) {
    it(`pushed requests of all ${title} clients together count towards their source's limit.authorize`, async () => {
      const one = await app().another({ ...unlimited, registration: 'open', 'limit.authorize': '2/h' });
      const push = async () => {
        const client = await openly(one, more);
        const form = Object.fromEntries(new URLSearchParams(authorizePath(client).split('?')[1]));
        const own = clientAuthentication(client);
        return one.send('POST', '/oauth2/par', { headers: own.headers, form: { ...form, ...own.form } });
      };
      const answers = await inTurn(4, push);
      assert.deepEqual(statusesOf(answers), [201, 201, 429, 429]);
      assert.equal(await kept(one, 'pushed_requests'), 2);
    });
  }

  it('sign-ins refused after a right first factor count as failed, by password and by passkey', async () => {
    const one = await app().another({ ...unlimited, 'limit.sign-in': '3/h' });
    const client = await registerClient(one);
    const user = await makeUser(one, client.app_id);
    const { passkey } = await givePasskey(one, user);
    await setUser(one.services, one.account, user.id, { status: 'suspended' });
    const refused = () => kept(one, 'events', "action = 'sign_in.refused'");
    const page = () => walk(one, new CookieJar(), authorizePath(client));
    const byPassword = async () => (await submit(one, await page(), { username: user.email ?? '', password })).answer;
    const byPasskey = async () => {
      const at = await page();
      return (await showPasskey(one, at, passkey.get(passkeyOptionsOf(at.answer.text)))).answer;
    };
    const answers = await inTurn(6, (index) => (index % 2 === 0 ? byPassword() : byPasskey()));
    assert.deepEqual(statusesOf(answers), [403, 403, 403, 429, 429, 429]);
    assert.equal(await refused(), 3);
  });

  it('exchanges of a grant by a public client are limited, those of a client with a secret are not', async () => {
    const one = await app().another({ ...unlimited, 'limit.public-client': '3/h' });
    const grant_types = ['authorization_code', 'refresh_token', exchangeGrant];
    const exchanges = async (more: object) => {
      const { client, tokens } = await signedIn(one, { ...more, grant_types });
      const own = clientAuthentication(client);
      const form = { grant_type: exchangeGrant, subject_token: tokens.access_token, subject_token_type: accessToken };
      return inTurn(5, () => one.send('POST', '/oauth2/token', { ...own, form: { ...own.form, ...form } }));
    };
    assert.deepEqual(statusesOf(await exchanges({})), [200, 200, 200, 200, 200]);
    const answers = await exchanges(publicClient);
    assert.deepEqual(statusesOf(answers), [200, 200, 200, 429, 429]);
    for (const answer of answers.slice(3)) assertLimited(answer);
  });

  it('codes of one session are limited, those of another are not affected', async () => {
    // The consent is one of them.
    const one = await app().another({ ...unlimited, 'limit.authorize': '4/h' });
    const setting = await settle(one);
    await setting.code();
    const path = authorizePath(setting.client, { prompt: 'none' });
    const silent = (jar: CookieJar) => one.send('GET', path, { headers: jar.header });
    const answers = await inTurn(4, () => silent(setting.jar));
    assert.deepEqual(statusesOf(answers), [303, 303, 429, 429]);
    for (const answer of answers.slice(2)) assertLimited(answer);
    assert.equal(await kept(one, 'codes'), 3);
    const elsewhere = new CookieJar();
    await signInForCode(one, setting.client, setting.user, {}, elsewhere);
    assert.equal((await silent(elsewhere)).status, 303);
  });
}

async function askRevocation(one: TestApp, client: RegisteredClient, token: string): Promise<void> {
  const { headers, form } = clientAuthentication(client);
  assert.equal((await one.send('POST', '/oauth2/revoke', { headers, form: { ...form, token } })).status, 200);
}
