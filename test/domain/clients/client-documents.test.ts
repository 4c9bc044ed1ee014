/** Metadata documents of clients: fetched through the guard, checked, cached within bounds, never stored. */

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createOwnEgress } from '../../../src/adapters/egress/policies.ts';
import type { Account } from '../../../src/domain/accounts/account.ts';
import { parseSettings } from '../../../src/domain/accounts/settings.ts';
import { actAs } from '../../../src/domain/audit/context.ts';
import { createClientDocuments } from '../../../src/domain/clients/client-documents.ts';
import { documentUrlFault } from '../../../src/domain/clients/document-url.ts';
import type { ClientDocuments } from '../../../src/domain/clients/documents-port.ts';
import type { Egress, EgressResult } from '../../../src/domain/egress.ts';
import { Failure } from '../../../src/domain/failure.ts';
import { createLimits } from '../../../src/http/rate-limit.ts';
import { forbiddenTargets } from '../../adapters/egress/forbidden-targets.ts';
import { fetched } from '../../support/egress.ts';
import { everywhere, type Internet, openInternet, patientMilliseconds, publicAddress } from '../../support/internet.ts';
import { testClock } from '../../support/services.ts';

const url = 'https://client.example.com/oauth/client.json';
const redirect = 'https://client.example.com/callback';
const unlimited = { 'limit.client-metadata': 'off' };

function accountWith(settings: Readonly<Record<string, string>> = unlimited, id = 1): Account {
  const parsed = parseSettings({ client_id_metadata_documents: 'any', ...settings });
  return { id, subdomain: `account-${id}`, settings: parsed } as Account;
}

const plain = { client_id: url, client_name: 'Tool', redirect_uris: [redirect] };

describe('metadata documents of clients', () => {
  let internet: Internet;
  let documents: ClientDocuments;
  let fetches = 0;
  const clock = testClock();
  const lines: Readonly<Record<string, unknown>>[] = [];
  const log = { warn: (event: string, fields = {}) => void lines.push({ event, ...fields }) };

  function open(where: Parameters<typeof createOwnEgress>[0] = everywhere, timeout = patientMilliseconds): void {
    const egress = createOwnEgress(where, internet.network, timeout);
    documents = createClientDocuments({ egress, clock, limits: createLimits(), log: log as never });
  }

  /** Serves this at every address. */
  function serve(body: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): void {
    internet.handle((_, res) => {
      fetches += 1;
      const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body);
      res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(bytes);
    });
  }

  before(async () => {
    internet = await openInternet();
  });
  after(() => internet.close());
  beforeEach(() => {
    internet.forget();
    internet.names.clear();
    fetches = 0;
    lines.length = 0;
    open();
  });

  async function faultOf(body: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): Promise<string> {
    open();
    serve(body, headers, status);
    const read = await documents.read(accountWith(), url);
    return 'fault' in read ? read.fault : 'none';
  }

  it('a public client of its own origin, with what a registration would get', async () => {
    serve({ ...plain, unknown: 1, another: { deep: true }, logo_uri: 'https://client.example.com/logo.png' });
    const read = await documents.read(accountWith(), url);
    assert.ok('metadata' in read);
    const { name, authMethod, applicationType, redirectUris, grantTypes, responseTypes, scope, subjectType } =
      read.metadata;
    assert.deepEqual([name, authMethod, applicationType], ['Tool', 'none', 'web']);
    assert.deepEqual([redirectUris, responseTypes, scope, subjectType], [[redirect], ['code'], null, 'public']);
    assert.deepEqual(grantTypes, ['authorization_code', 'refresh_token']);
    assert.deepEqual(lines, []);
  });

  it('an application on a device is native unless it says otherwise, so that its loopback port floats', async () => {
    const typeOf = async (members: object) => {
      open();
      serve({ ...plain, ...members });
      const read = await documents.read(accountWith(), url);
      return 'metadata' in read ? read.metadata.applicationType : read.fault;
    };
    assert.equal(await typeOf({ redirect_uris: ['http://127.0.0.1/callback'] }), 'native');
    assert.equal(await typeOf({ redirect_uris: [redirect, 'com.example.tool:/callback'] }), 'native');
    assert.equal(await typeOf({ redirect_uris: ['http://localhost/a'], application_type: 'web' }), 'web');
  });

  it('web addresses of another origin are ignored; with none left there is no client', async () => {
    const elsewhere = ['https://evil.example.net/callback', 'https://client.example.com:8443/callback'];
    const loopback = 'http://127.0.0.1/callback';
    serve({ ...plain, redirect_uris: [...elsewhere, redirect, loopback], client_uri: 'https://evil.example.net/' });
    const read = await documents.read(accountWith(), url);
    assert.deepEqual('metadata' in read && read.metadata.redirectUris, [redirect, loopback]);
    assert.equal('metadata' in read && read.metadata.extra.client_uri, undefined);
    assert.match(
      await faultOf({ ...plain, redirect_uris: elsewhere }),
      /redirect_uris has none at https:\/\/client\.ex/,
    );
  });

  it('private_key_jwt by jwks_uri; no method with a secret, and no secret in public', async () => {
    serve({ ...plain, token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://client.example.com/jwks' });
    const read = await documents.read(accountWith(), url);
    assert.equal('metadata' in read && read.metadata.authMethod, 'private_key_jwt');
    for (const method of ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', '']) {
      assert.match(await faultOf({ ...plain, token_endpoint_auth_method: method }), /must be none or private_key_jwt/);
    }
    assert.match(await faultOf({ ...plain, client_secret: 'x' }), /client_secret/);
    assert.match(await faultOf({ ...plain, client_secret_expires_at: 0 }), /client_secret_expires_at/);
    assert.match(await faultOf({ ...plain, token_endpoint_auth_method: 'private_key_jwt' }), /requires jwks/);
  });

  it('what is no document, or the document of another address, names the fault', async () => {
    assert.match(await faultOf('{'), /not JSON/);
    assert.match(await faultOf(Buffer.from([0x7b, 0xff, 0x7d])), /not JSON/);
    for (const body of ['[]', 'null', '"a"', '1']) assert.match(await faultOf(body), /not a JSON object/, body);
    for (const id of [undefined, null, `${url}/`, `${url}?`, url.toUpperCase(), [url], 'https://client.example.com']) {
      assert.match(await faultOf({ ...plain, client_id: id }), /letter by letter/, String(id));
    }
    assert.match(await faultOf(plain, { 'content-type': 'text/html' }), /application\/json/);
    assert.match(await faultOf(plain, { 'content-type': 'application/jsonp' }), /application\/json/);
    assert.match(await faultOf(plain, { 'content-type': '' }), /application\/json/);
    for (const type of ['application/json; charset=utf-8', 'application/oauth-client+json', 'Application/JSON']) {
      assert.equal(await faultOf(plain, { 'content-type': type }), 'none', type);
    }
    for (const status of [201, 204, 304, 404, 500]) {
      assert.match(await faultOf('', {}, status), new RegExp(`status ${status}`));
    }
  });

  it('members of the wrong type or with control characters are faults, not surprises', async () => {
    const wrong = {
      client_name: [1, {}, 'a'.repeat(256), 'a\u0000b', '\ud800', 'evil \u202e name'],
      redirect_uris: ['text', [1], [redirect, null], Array(21).fill(redirect), [], [redirect, redirect]],
      grant_types: ['authorization_code', [['authorization_code']], ['client_credentials'], ['password']],
      scope: [['openid'], 1],
      jwks: [
        [],
        'x',
        { keys: [] },
        { keys: [{ kty: 'oct', k: 'AAAA' }] },
        { keys: [null] },
        { keys: ['x'] },
        { keys: [{ kty: 'RSA\u0000' }] },
      ],
      default_max_age: ['1', -1, 1.5],
      require_auth_time: ['true', 1],
      contacts: ['a@example.com', [{}]],
      subject_type: ['other'],
      id_token_encrypted_response_alg: ['RSA-OAEP'],
      logo_uri: ['javascript:alert(1)'],
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        assert.notEqual(await faultOf({ ...plain, [name]: value }), 'none', `${name} ${JSON.stringify(value)}`);
      }
    }
    const prototype = `{"client_id":"${url}","redirect_uris":["${redirect}"],"__proto__":{"client_name":"x"},"toString":1}`;
    assert.equal(await faultOf(prototype), 'none');
    assert.equal(await faultOf(`${'['.repeat(2000)}${']'.repeat(2000)}`), 'is not a JSON object');
    assert.equal(await faultOf({ ...plain, client_name: null }), 'none');
  });

  it('the profile of the account applies: FAPI 2.0 takes no public client', async () => {
    serve(plain);
    const read = await documents.read(accountWith({ ...unlimited, security_profile: 'fapi2' }), url);
    assert.match('fault' in read ? read.fault : '', /private_key_jwt/);
  });

  it('5 KB, on the wire and unpacked', async () => {
    const padded = (bytes: number) => {
      const text = JSON.stringify({ ...plain, padding: '' });
      return text.replace('"padding":""', `"padding":"${'a'.repeat(bytes - text.length)}"`);
    };
    assert.equal(await faultOf(padded(5120)), 'none');
    assert.match(await faultOf(padded(5121)), /larger than 5120/);
    assert.equal(await faultOf(gzipSync(padded(5120)), { 'content-encoding': 'gzip' }), 'none');
    assert.match(await faultOf(gzipSync(Buffer.alloc(64 << 20)), { 'content-encoding': 'gzip' }), /larger than 5120/);
    assert.equal(await faultOf(gzipSync(padded(4000)), { 'content-encoding': 'br' }), 'cannot be fetched');
  });

  it('no redirect is followed, not even to itself', async () => {
    for (const location of [url, `${url}?again`, 'https://169.254.169.254/']) {
      assert.match(await faultOf('', { location }, 302), /redirect/);
    }
    assert.equal(fetches, 3);
    assert.deepEqual(
      internet.attempts.map(({ address }) => address),
      Array(3).fill(publicAddress),
    );
  });

  it(`none of ${forbiddenTargets.length} forbidden targets gets a connection`, async () => {
    open({ ...everywhere, isOwnHost: (host) => /(^|\.)gatehouse\.example$|^login\.customer\.example$/.test(host) });
    for (const { url: target, addresses } of forbiddenTargets) {
      if (addresses) internet.names.set(new URL(target).hostname, addresses);
      // As it is, which is refused for its spelling, and written as a client's identifier has to be.
      const written = URL.parse(`${target.replace(/\/$/, '')}/client.json`)?.href ?? target;
      for (const address of [target, written]) {
        const read = await documents.read(accountWith(), address);
        const isWritten = documentUrlFault(address) === null;
        assert.match(
          'fault' in read ? read.fault : 'none',
          isWritten ? /^cannot be fetched$/ : /^cannot be used: its address /,
          address,
        );
      }
    }
    assert.deepEqual(internet.attempts, []);
    assert.ok(lines.length >= 50);
    assert.ok(
      lines.every(({ event, reason }) => event === 'client_document.refused' && /fetched: \w+$/.test(`${reason}`)),
    );
  });

  it('a name that leads elsewhere at the second fetch gets no connection', async () => {
    const answers = [[publicAddress], ['127.0.0.1']];
    internet.names.set('client.example.com', () => answers.shift() ?? []);
    serve(plain);
    assert.ok('metadata' in (await documents.read(accountWith(), url)));
    clock.advance(24 * 3_600_000);
    assert.deepEqual(await documents.read(accountWith(), url), { fault: 'cannot be fetched' });
    assert.equal(internet.attempts.length, 1);
  });

  it('a body that does not end is given up', async () => {
    open(everywhere, 300);
    internet.handle((_, res) => void res.writeHead(200, { 'content-type': 'application/json' }).write('{'));
    assert.deepEqual(await documents.read(accountWith(), url), { fault: 'cannot be fetched' });
    assert.match(`${lines[0]?.['reason']}`, /timeout/);
  });

  it('a certificate for another name is refused', async () => {
    serve(plain);
    internet.names.set('client.elsewhere.test', [publicAddress]);
    const other = 'https://client.elsewhere.test/client';
    assert.deepEqual(await documents.read(accountWith(), other), { fault: 'cannot be fetched' });
    assert.match(`${lines[0]?.['reason']}`, /tls_failed/);
    assert.equal(fetches, 0);
  });

  it('are kept as the headers say, from five minutes to a day', async () => {
    const minute = 60_000;
    const kept: readonly (readonly [headers: Readonly<Record<string, string>>, minutes: number])[] = [
      [{}, 5],
      [{ 'cache-control': 'no-store' }, 5],
      [{ 'cache-control': 'max-age=0' }, 5],
      [{ 'cache-control': 'no-cache, max-age=3600' }, 5],
      [{ 'cache-control': 'public, max-age=3600' }, 60],
      [{ 'cache-control': 'max-age=60, s-maxage=1200' }, 20],
      [{ 'cache-control': 'max-age="600"' }, 10],
      [{ 'cache-control': 'max-age=3600', age: '1800' }, 30],
      [{ 'cache-control': 'x-max-age=3600' }, 5],
      [{ 'cache-control': 'max-age=99999999' }, 1440],
      [{ 'cache-control': 'max-age=999999999999' }, 5],
      [{ expires: new Date(clock.now() + 7_200_000).toUTCString() }, 120],
      [{ expires: '0' }, 5],
    ];
    using _ = clock.hold();
    for (const [headers, minutes] of kept) {
      open();
      fetches = 0;
      const said = headers['expires'] && headers['expires'] !== '0';
      const named = said ? { expires: new Date(clock.now() + 7_200_000 + 999).toUTCString() } : headers;
      serve(plain, named);
      await documents.read(accountWith(), url);
      clock.advance(minutes * minute - (said ? 2_000 : 1));
      await documents.read(accountWith(), url);
      assert.equal(fetches, 1, JSON.stringify(headers));
      clock.advance(said ? 4_000 : 1);
      await documents.read(accountWith(), url);
      assert.equal(fetches, 2, JSON.stringify(headers));
    }
  });

  it('a failure is kept for a minute; the last good document counts for what has begun, for a day', async () => {
    using _ = clock.hold();
    serve(plain);
    assert.ok('metadata' in (await documents.read(accountWith(), url)));
    clock.advance(5 * 60_000);
    serve('', {}, 503);
    assert.match(JSON.stringify(await documents.read(accountWith(), url)), /status 503/);
    assert.ok('metadata' in (await documents.readLast(accountWith(), url)));
    clock.advance(59_999);
    await documents.read(accountWith(), url);
    assert.equal(fetches, 2);
    clock.advance(1);
    await documents.read(accountWith(), url);
    assert.equal(fetches, 3);
    clock.advance(24 * 3_600_000);
    assert.ok('fault' in (await documents.readLast(accountWith(), url)));
    serve(plain);
    clock.advance(60_000);
    assert.ok('metadata' in (await documents.read(accountWith(), url)));
  });

  it('one fetch at a time for an address, 30 a minute for a source, and none for what is kept', async () => {
    serve(plain);
    const account = accountWith({});
    const from = (source: string, work: () => Promise<unknown>) =>
      actAs({ actor: null, source, requestId: null }, work);
    const all = Array.from({ length: 50 }, () => from('192.0.2.1', () => documents.read(account, url)));
    assert.ok((await Promise.all(all)).every((read) => typeof read === 'object' && read && 'metadata' in read));
    assert.equal(fetches, 1);
    // Of other documents 29 are left.
    const other = (index: number) => from('192.0.2.1', () => documents.read(account, `${url}?${index}`));
    for (let index = 0; index < 29; index += 1) await other(index);
    assert.equal(fetches, 30);
    await assert.rejects(other(30), (error) => error instanceof Failure && error.code === 'rate_limited');
    assert.ok(await from('192.0.2.1', () => documents.read(account, url)));
    await from('198.51.100.1', () => documents.read(account, `${url}?31`));
    assert.equal(fetches, 31);
  });

  it('where too many are fetched at once, nothing is learned and nothing kept', async () => {
    const waiting: (() => void)[] = [];
    internet.handle((_, res) => {
      waiting.push(() => res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(plain)));
    });
    const account = accountWith();
    const first = documents.read(account, url);
    while (waiting.length === 0) await new Promise(setImmediate);
    // Of one host one at a time, since these are clients that anybody can make.
    await assert.rejects(
      documents.read(account, `${url}?2`),
      (error) => error instanceof Failure && error.code === 'unavailable',
    );
    assert.equal(waiting.length, 1);
    waiting.pop()?.();
    assert.ok('metadata' in (await first));
    assert.deepEqual(lines, []);
    serve({ ...plain, client_id: `${url}?2` });
    assert.ok('metadata' in (await documents.read(account, `${url}?2`)));
  });

  it('accounts know nothing of what others fetched', async () => {
    serve(plain);
    await documents.read(accountWith(), url);
    await documents.read(accountWith(unlimited, 2), url);
    assert.equal(fetches, 2);
  });

  it('a thousand are kept, the longest unused goes first', async () => {
    const egress: Egress = {
      fetch: async ({ url: asked }) => {
        fetches += 1;
        const { response } = fetched(asked, { ...plain, client_id: asked }) as Extract<EgressResult, { ok: true }>;
        return { ok: true, response: { ...response, headers: [['content-type', 'application/json']] } };
      },
    };
    documents = createClientDocuments({ egress, clock, limits: createLimits(), log: log as never });
    const account = accountWith();
    for (let index = 0; index < 1000; index += 1) await documents.read(account, `${url}?${index}`);
    await documents.read(account, `${url}?0`);
    assert.equal(fetches, 1000);
    await documents.read(account, `${url}?1000`);
    await documents.read(account, `${url}?0`);
    assert.equal(fetches, 1001);
    await documents.read(account, `${url}?1`);
    assert.equal(fetches, 1002);
  });
});
