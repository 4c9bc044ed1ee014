/** The document's §2.5, §4.5 and §7, byte for byte. */

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { apiHost, assertDeprecated, hostsOf, newApiKey, sendLines } from '../../support/legacy.ts';
import { type RawServer, startRaw } from '../../support/raw-http.ts';
import { addUser, setUser } from '../../support/users.ts';
import { password, unknownKey } from './delegated.ts';

const user = (message: string) =>
  `<response><authenticated>false</authenticated><message>${message}</message></response>`;

export function transcripts(app: () => TestApp): void {
  let server: RawServer;
  let key: string;
  const email = 'transcript@northwind.example';
  before(async () => {
    server = await startRaw(app().app);
    key = (await newApiKey(app())).key;
    const { services, account } = app();
    await addUser(services, account, { email, password, firstname: 'Ada & <Co>', lastname: 'Løvelace' });
    await addUser(services, account, { email: 'nameless@northwind.example', password });
    for (const status of ['locked', 'suspended'] as const) {
      const { id } = await addUser(services, account, { email: `${status}@northwind.example`, password });
      await setUser(services, account, id, { status });
    }
    await addUser(services, account, { email: 'unactivated@northwind.example' });
  });
  after(() => server.close());

  const get = (host: string, query: Readonly<Record<string, string>>) =>
    sendLines(server, [`GET /api/v1/delegated_auth?${new URLSearchParams(query)} HTTP/1.1`, `Host: ${host}`]);

  const rows = (): [what: string, query: Record<string, string>, body: string][] => [
    [
      'success',
      { api_key: key, email, password },
      '<response><authenticated>true</authenticated><firstname>Ada &amp; &lt;Co&gt;</firstname>' +
        '<lastname>Løvelace</lastname><message>Success</message></response>',
    ],
    [
      'a user without a name',
      { api_key: key, email: 'NAMELESS@northwind.example', password },
      '<response><authenticated>true</authenticated><firstname></firstname><lastname></lastname>' +
        '<message>Success</message></response>',
    ],
    ['a wrong password', { api_key: key, email, password: 'x' }, user('Invalid password')],
    ['no password', { api_key: key, email }, user('Invalid password')],
    ['an unknown user', { api_key: key, email: 'nobody@northwind.example', password }, user('User not found')],
    ['no e-mail', { api_key: key, password }, user('User not found')],
    ['a locked user', { api_key: key, email: 'locked@northwind.example', password }, user('Invalid password')],
    ['a suspended user', { api_key: key, email: 'suspended@northwind.example', password }, user('Invalid password')],
    ['nobody yet', { api_key: key, email: 'unactivated@northwind.example', password }, user('Invalid password')],
    ['a bad key', { api_key: unknownKey, email, password }, user('Account not found')],
    ['no key', { email, password }, user('Account not found')],
    ['nothing at all', {}, user('Account not found')],
  ];

  it('§7: each row, on the account host and on the hosts of the deprecated surfaces', async () => {
    for (const host of hostsOf(app())) {
      for (const [what, query, body] of rows()) {
        const answer = await get(host, query);
        const where = `${what} on ${host}`;
        assert.equal(answer.status, 200, where);
        assert.equal(answer.text, body, where);
        assert.equal(answer.headers['content-type'], 'application/xml', where);
        assert.equal(answer.headers['cache-control'], 'no-store', where);
        const known = host === hostsOf(app())[0] || query['api_key'] === key;
        assertDeprecated(answer, `${known ? app().account.baseUrl : ''}/oauth2/authorize`);
      }
    }
  });

  it('another account on its own host accepts only its own keys, and finds none of the users', async () => {
    const other = await app().another();
    const answer = await get(new URL(other.account.baseUrl).host, { api_key: key, email, password });
    assert.equal(answer.text, user('Account not found'));
    const { key: otherKey } = await newApiKey(other);
    assert.equal((await get(apiHost, { api_key: otherKey, email, password })).text, user('User not found'));
  });

  it('404 on any other host below the service domain', async () => {
    for (const host of ['www.gatehouse.example', 'gatehouse.example', 'api.example.com', 'x.api.gatehouse.example']) {
      const answer = await get(host, { api_key: key, email, password });
      assert.equal(answer.status, 404, host);
      assert.equal(answer.text, '<error><message>Not found</message><code>not_found</code></error>');
    }
  });

  it('nothing but the deprecated surfaces answers on their hosts', async () => {
    for (const path of ['/oauth2/jwks', '/api/2/users', '/sign-in', '/docs', '/auth/rate_limit']) {
      assert.equal((await server.send([`GET ${path} HTTP/1.1`, `Host: ${apiHost}`])).status, 404, path);
    }
  });
}
