import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Sent } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { isSampled } from '../../support/sample.ts';
import { codeVerifier, type RegisteredClient, redirectUri, registerClient, signedIn } from '../../support/sign-in.ts';
import { type AppOf, assertError } from './asking.ts';

type Form = Readonly<Record<string, string>>;

/**
 * T9 at the endpoints that take a form; the authorization endpoint has its own cases. Never a 5xx, never a way around.
 */
export function pollution(app: AppOf): void {
  /** A good form for each endpoint: what a polluted one is made from. */
  async function forms(): Promise<readonly [path: string, form: Form][]> {
    const { client, tokens } = await signedIn(app(), { token_endpoint_auth_method: 'client_secret_post' });
    const own = { client_id: client.client_id, client_secret: client.client_secret ?? '' };
    return [
      ['/oauth2/token', { ...own, grant_type: 'refresh_token', refresh_token: tokens.refresh_token, scope: 'openid' }],
      [
        '/oauth2/token',
        { ...own, grant_type: 'authorization_code', code: 'x', redirect_uri: redirectUri, code_verifier: codeVerifier },
      ],
      ['/oauth2/token', { ...own, grant_type: 'password', username: 'a@example.com', password: 'x' }],
      ['/oauth2/introspect', { ...own, token: tokens.access_token, token_type_hint: 'access_token' }],
      ['/oauth2/revoke', { ...own, token: tokens.access_token, token_type_hint: 'access_token' }],
      ['/oauth2/userinfo', { access_token: tokens.access_token }],
    ];
  }

  let times = 0;

  /** One place reads all forms: a third of the members of each endpoint, others in each case, and all in a drill. */
  async function each(
    check: (path: string, form: Form, name: string, send: (sent: Sent) => Promise<Answer>) => Promise<void>,
  ) {
    for (const [path, form] of await forms()) {
      for (const [index, name] of Object.keys(form).entries()) {
        if (isSampled(index, 3, times)) await check(path, form, name, (sent) => app().send('POST', path, sent));
      }
      times += 1;
    }
  }

  it('each repeated parameter is 400 invalid_request naming it, even if the values are equal or one is empty', async () => {
    await each(async (path, form, name, send) => {
      for (const second of [form[name] ?? '', 'another', '']) {
        const twice: [string, string][] = [...Object.entries(form), [name, second]];
        assertError(await send({ form: twice }), 400, 'invalid_request', new RegExp(`^${name} is given twice$`));
        assert.ok(path);
      }
    });
  });

  it('an unknown parameter is ignored but must not be repeated either', async () => {
    const client = await registerClient(app(), { token_endpoint_auth_method: 'client_secret_post' });
    const own = {
      client_id: client.client_id,
      client_secret: client.client_secret ?? '',
      grant_type: 'client_credentials',
    };
    assert.equal((await app().send('POST', '/oauth2/token', { form: { ...own, colour: 'red' } })).status, 200);
    const twice: [string, string][] = [...Object.entries(own), ['colour', 'red'], ['colour', 'blue']];
    assertError(
      await app().send('POST', '/oauth2/token', { form: twice }),
      400,
      'invalid_request',
      /^colour is given twice$/,
    );
  });

  it('a name with brackets or in another case is another name: neither read nor merged', async () => {
    await each(async (path, form, name, send) => {
      const { [name]: value = '', ...rest } = form;
      for (const other of [`${name}[]`, `${name}[0]`, `${name}[a]`, name.toUpperCase(), ` ${name}`]) {
        const answer = await send({ form: { ...rest, [other]: value } });
        const where = `${path} ${other}: ${answer.status} ${answer.text}`;
        // As when it is left out; some members may be.
        assert.deepEqual([answer.status, answer.text], await leftOut(path, rest, answer), where);
      }
    });
    async function leftOut(path: string, rest: Form, { status, text }: Answer): Promise<[number, string]> {
      const bare = await app().send('POST', path, { form: rest });
      // Tokens are new with every success; then the status tells.
      return status === 200 && bare.status === 200 ? [200, text] : [bare.status, bare.text];
    }
  });

  it('the query of a POST is not read', async () => {
    await each(async (path, form, name) => {
      const { [name]: value = '', ...rest } = form;
      const query = new URLSearchParams({ [name]: value });
      const bare = await app().send('POST', path, { form: rest });
      const answer = await app().send('POST', `${path}?${query}`, { form: rest });
      assert.equal(answer.status, bare.status, `${path} ${name}`);
      assert.equal(answer.body?.error, bare.body?.error);
    });
  });

  it('a value of 1 MB is 413, one over its limit 400, and neither is echoed', async () => {
    await each(async (path, form, name, send) => {
      const huge = await send({ form: { ...form, [name]: 'h'.repeat(1_048_576) } });
      assert.equal(huge.status, 413, `${path} ${name}`);
      const long = await send({ form: { ...form, [name]: 'l'.repeat(13_000) } });
      assertError(long, 400, 'invalid_request', new RegExp(`^${name} `));
      assert.ok(long.text.length < 400);
    });
  });

  it('control characters are 400, more than 50 members 413, and broken escapes are kept as text', async () => {
    const client = await registerClient(app(), { token_endpoint_auth_method: 'client_secret_post' });
    const own = new URLSearchParams({
      client_id: client.client_id,
      client_secret: client.client_secret ?? '',
    }).toString();
    const send = (rest: string) =>
      app().send('POST', '/oauth2/token', { form: `${own}&grant_type=client_credentials&${rest}` });
    for (const bad of ['x=%00', 'x%00=1', 'scope=a%0Bb', 'x=%EF%BF%BF']) {
      assertError(await send(bad), 400, 'invalid_request', /not allowed/);
    }
    const many = (count: number) => send(Array.from({ length: count }, (_, index) => `m${index}=1`).join('&'));
    assert.equal((await many(47)).status, 200);
    assertError(await many(48), 413, 'invalid_request');
    for (const harmless of ['x=%', 'x=%zz', '=', '&&&', 'x', '__proto__=1', 'constructor=1', 'hasOwnProperty=1']) {
      assert.equal((await send(harmless)).status, 200, harmless);
    }
    assert.equal(({} as Record<string, unknown>)['1'], undefined);
  });

  it('a body of another media type, or compressed, is 400 in this format', async () => {
    const client: RegisteredClient = await registerClient(app());
    const raw = `grant_type=client_credentials&client_id=${client.client_id}&client_secret=${client.client_secret}`;
    for (const path of ['/oauth2/token', '/oauth2/introspect', '/oauth2/revoke', '/oauth2/userinfo']) {
      for (const type of [
        'application/json',
        'text/plain',
        'multipart/form-data; boundary=x',
        'application/xml',
        'x',
      ]) {
        const answer = await app().send('POST', path, { raw, headers: { 'content-type': type } });
        assertError(answer, 400, 'invalid_request', /^Content-Type must be application\/x-www-form-urlencoded$/);
      }
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' };
      assertError(await app().send('POST', path, { raw, headers }), 400, 'invalid_request');
    }
    assertError(await app().send('POST', '/oauth2/token', { raw: '' }), 400, 'invalid_request');
  });
}
