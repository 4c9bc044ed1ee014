import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { gzipSync } from 'node:zlib';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { revokeApiKey } from '../../../src/domain/callers/api-keys.ts';
import { unique } from '../../store/samples.ts';
import { basic, type TestApp } from '../../support/app.ts';
import { contracts } from '../../support/conforms.ts';
import { appHost, assertDeprecated } from '../../support/legacy.ts';
import { assertCharacters, patternedTexts } from '../../support/patterned-texts.ts';
import { assertRefused, calling, userXml, type XmlUser, type XmlValue } from './calling.ts';

const user = () => userXml({ email: `${unique('user')}@example.com` });
const operations = [
  ['GET', '/users.xml'],
  ['POST', '/users.xml'],
  ['GET', '/users/1.xml'],
  ['PUT', '/users/1.xml'],
  ['DELETE', '/users/1.xml'],
] as const;

/** X6: which callers, media types and rates are accepted. */
export function refusals(app: () => TestApp): void {
  it('texts have the characters that their patterns allow', async () => {
    const { call } = await calling(app());
    const texts = patternedTexts('xml').filter(({ operation }) => operation.operationId === 'createUser');
    assert.ok(texts.length > 0);
    for (const text of texts) {
      await assertCharacters(text, { email: `${unique('user')}@example.com` }, (body) =>
        call('POST', '/users.xml', userXml(body as Record<string, XmlValue>)),
      );
    }
  });

  for (const [method, write] of [
    ['POST', () => ['/users.xml', userXml({ email: `${unique('user')}@example.com`, password: unique('Secret-1-') })]],
    ['PUT', ({ id }) => [`/users/${id}.xml`, userXml({ firstname: 'Eve' })]],
    ['DELETE', ({ id }) => [`/users/${id}.xml`, undefined]],
  ] as const satisfies readonly (readonly [string, (one: XmlUser) => readonly [string, string | undefined]])[]) {
    it(`a ${method} that waits is refused when its key is deleted meanwhile`, async () => {
      const one = await app().another();
      const { call, keyId, done } = await calling(one);
      const other = await calling(one);
      const found = await done(201, 'POST', '/users.xml', user());
      const stored = await done(200, 'GET', '/users.xml');
      const { store } = one.services;
      const { transaction } = store;
      // What it waits for: a digest, other writes.
      const { mock: waiting } = mock.method(store, 'transaction', async (work: Parameters<typeof transaction>[0]) => {
        waiting.restore();
        await revokeApiKey(one.services, one.account, keyId);
        return transaction(work);
      });
      const [path, document] = write(found);
      assertRefused(await call(method, path, document), 401);
      assert.deepEqual(await other.done(200, 'GET', '/users.xml'), stored);
    });
  }

  it('X6: without a valid key, or with a password other than x, every operation answers 401', async () => {
    const { apiKey, call, keyId } = await calling(app());
    const other = await calling(await app().another());
    const encoded = Buffer.from(`${apiKey}:x`).toString('base64');
    const good = [`Basic ${encoded}`, `basic ${encoded}`, `BASIC  ${encoded}`];
    for (const authorization of good) {
      assert.equal((await call('GET', '/users.xml?limit=1', undefined, { authorization })).status, 200, authorization);
    }
    const bad: Readonly<Record<string, string>>[] = [
      {},
      ...[
        ['', 'x'],
        [apiKey, ''],
        [apiKey, 'y'],
        [apiKey, 'X'],
        [apiKey, 'xx'],
        [`${apiKey}x`, 'x'],
        ['x', apiKey],
      ].map(([key = '', password = '']) => basic(key, password)),
      ...[apiKey.toUpperCase(), apiKey.slice(0, -1), 'k'.repeat(7_000), `${apiKey}\u0000`].map((key) =>
        basic(key, 'x'),
      ),
      basic(other.apiKey, 'x'),
      ...[`Bearer ${apiKey}`, `Basic ${apiKey}`, 'Basic', 'Basic !!!', `Basic ${encoded} x`, encoded].map(
        (authorization) => ({
          authorization,
        }),
      ),
      { authorization: `Bearer ${await app().bearer('manage_all')}` },
    ];
    for (const [method, path] of operations) {
      for (const headers of bad) {
        const raw = method === 'POST' || method === 'PUT' ? { raw: user() } : {};
        const answer = await app().send(method, path, {
          headers: { 'content-type': 'application/xml', ...headers },
          ...raw,
        });
        assertRefused(answer, 401, /The API key is invalid or missing/, `${method} ${JSON.stringify(headers)}`);
        assert.equal(answer.headers['www-authenticate'], 'Basic realm="gatehouse"');
        assertDeprecated(answer, `${app().account.baseUrl}/api/2/users${path === '/users.xml' ? '' : '/1'}`);
      }
    }
    await revokeApiKey(app().services, app().account, keyId);
    assertRefused(await call('GET', '/users.xml'), 401);
    assertRefused(await call('GET', '/users.xml', undefined, { host: appHost }), 401);
  });

  it('on the host of all accounts the key names the account', async () => {
    const mine = await calling(app(), 'app');
    const others = await calling(await app().another(), 'app');
    const { id } = await mine.done(201, 'POST', '/users.xml', user());
    assert.equal((await mine.done(200, 'GET', `/users/${id}.xml`)).id, id);
    for (const [method, document] of [['GET'], ['PUT', user()], ['DELETE']] as const) {
      assertRefused(await others.call(method, `/users/${id}.xml`, document), 404);
    }
    assert.deepEqual(await others.done(200, 'GET', '/users.xml'), []);
  });

  it('X6: POST and PUT need application/xml in UTF-8, uncompressed', async () => {
    const { call, done } = await calling(app());
    const { id } = await done(201, 'POST', '/users.xml', user());
    for (const [method, path] of [
      ['POST', '/users.xml'],
      ['PUT', `/users/${id}.xml`],
    ] as const) {
      const bad = [
        'text/xml',
        'application/json',
        'application/xhtml+xml',
        'text/plain',
        'application/x-www-form-urlencoded',
      ];
      for (const type of [
        ...bad,
        'application/xml-dtd',
        'application/xml; charset=utf-16',
        'application/xml;charset=latin1',
      ]) {
        assertRefused(await call(method, path, user(), { 'content-type': type }), 415, /./, type);
      }
      assertRefused(await call(method, path), 415, /Content-Type must be application\/xml/);
      assertRefused(await call(method, path, '', { 'content-type': 'application/xml' }), 400, /there is no element/);
      for (const type of ['APPLICATION/XML', 'application/xml; charset="UTF-8"', 'application/xml;version=1']) {
        assert.ok((await call(method, path, user(), { 'content-type': type })).status < 300, type);
      }
      const zipped = await app().send(method, path, {
        headers: {
          ...basic((await calling(app())).apiKey, 'x'),
          'content-type': 'application/xml',
          'content-encoding': 'gzip',
        },
        raw: gzipSync(`<user>${' '.repeat(1_000_000)}</user>`),
      });
      assertRefused(zipped, 415, /compressed/);
      assertRefused(await call(method, path, `<user>${' '.repeat(131_072)}</user>`), 413);
      assert.equal(
        (await call(method, path, user().replace('<user>', `<user>${' '.repeat(130_000)}`))).status < 300,
        true,
      );
    }
  });

  it('answers 406 to a client that does not accept application/xml, before anything is done', async () => {
    const { call, done } = await calling(app());
    const before = await done(200, 'GET', '/users.xml');
    for (const accept of ['application/json', 'text/html', 'text/xml', 'application/xml;q=0', 'image/*', 'nonsense']) {
      for (const [method, path] of operations) {
        const document = method === 'POST' || method === 'PUT' ? user() : undefined;
        assertRefused(await call(method, path, document, { accept }), 406, /application\/xml/, `${method} ${accept}`);
      }
    }
    for (const accept of ['*/*', 'application/*', 'text/html, application/xml;q=0.9', 'Application/XML']) {
      assert.equal((await call('GET', '/users.xml', undefined, { accept })).status, 200, accept);
    }
    assert.deepEqual(await done(200, 'GET', '/users.xml'), before);
  });

  it('over its limit a key gets 429 on every operation, other keys do not', async () => {
    const limited = await app().another({ 'limit.xml': '2/h' });
    const { call, done } = await calling(limited);
    const { id } = await done(201, 'POST', '/users.xml', user());
    assertRefused(await call('GET', '/users/77.xml'), 404);
    for (const [method, path] of operations) {
      const answer = await call(
        method,
        path.replace('1', String(id)),
        method === 'GET' || method === 'DELETE' ? undefined : user(),
      );
      assertRefused(answer, 429, /limit/);
      assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
      assert.equal(answer.headers['x-ratelimit-remaining'], '0');
    }
    assert.equal((await (await calling(limited)).done(200, 'GET', '/users.xml')).length, 1);
  });

  it('an account switches it off, and announces when', async () => {
    const own = await app().another({ 'sunset.xml': '2027-06-30' });
    const { call } = await calling(own);
    const answer = await call('GET', '/users.xml');
    assert.deepEqual([answer.status, answer.headers['sunset']], [200, 'Wed, 30 Jun 2027 00:00:00 GMT']);
    await setAccount(own.services, own.account.subdomain, { 'surface.xml': 'off' });
    for (const host of [new URL(own.account.baseUrl).host, appHost]) {
      assertRefused(await call('GET', '/users.xml', undefined, { host }), 404);
      assertRefused(await call('POST', '/users.xml', user(), { host }), 404);
    }
  });

  it('every operation is marked deprecated and names an existing successor', () => {
    const { contract } = contracts.get('xml') ?? {};
    const successors = contracts.get('api-2')?.contract.paths ?? {};
    for (const item of Object.values(contract?.paths ?? {})) {
      for (const operation of Object.values(item) as {
        deprecated: boolean;
        description: string;
        'x-successor': string;
      }[]) {
        const [method = '', path = ''] = operation['x-successor'].split(' ');
        assert.equal(operation.deprecated, true);
        assert.ok(operation.description.includes(`\`${method} ${path}\``), operation.description);
        assert.ok(successors[path]?.[method.toLowerCase()], `${method} ${path}`);
      }
    }
  });
}
