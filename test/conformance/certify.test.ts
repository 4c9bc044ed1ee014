/**
 * docs/certify.md: the command makes an account on which modules of the suite run, with clients registered as it says.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { importJWK } from 'jose';
import * as client from 'openid-client';
import { compiledEnvironment } from '../support/compiled.ts';
import { type Service, startService } from '../support/process.ts';
import { type RunningAccount, runningAccount } from '../support/running-account.ts';
import { isWhole, sampled } from '../support/sample.ts';
import { authorizePath, CookieJar, codeChallenge, redeem, signInForCode, submit, walk } from '../support/sign-in.ts';
import { startTlsProxy } from '../support/tls-proxy.ts';

const script = fileURLToPath(new URL('../../scripts/conformance.ts', import.meta.url));
const callback = 'https://www.certification.openid.net/test/abc/callback';
const proxied = { TRUST_PROXY: '127.0.0.1' };

/** What the suite wants to see of each scope (`oidcc-scope-all`). */
const wanted = [
  ...['sub', 'name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile'],
  ...['picture', 'website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at', 'email', 'email_verified'],
  ...['address', 'phone_number', 'phone_number_verified'],
];

describe('npm run conformance -- --account', () => {
  let service: Service;
  let account: RunningAccount;
  // biome-ignore lint/suspicious/noExplicitAny: what the command printed
  let told: any;

  /** Runs it as an operator does, with the settings of the service. */
  function run(...args: string[]): Promise<{ stdout: string; stderr: string }> {
    const port = String(service.installation.port);
    const env = { PATH: process.env['PATH'], PORT: port, ...compiledEnvironment, ...proxied };
    return promisify(execFile)(process.execPath, [script, ...args], { cwd: service.folder, env });
  }

  before(async () => {
    service = await startService({ database: 'sqlite', env: proxied });
    told = JSON.parse((await run('--account', 'certify', '--json')).stdout);
    account = runningAccount(service, 'certify', new URL(told.issuer).host);
  });
  after(async () => {
    account.close();
    await service.installation.dispose();
  });

  it('discovery offers what the plans ask for', async () => {
    const { server } = told.configurations.openid;
    const { origin, pathname } = new URL(server.discoveryUrl);
    assert.equal(origin, told.issuer);
    const { body } = await account.send('GET', pathname);
    for (const scope of ['openid', 'profile', 'email', 'address', 'phone']) {
      assert.ok(body.scopes_supported.includes(scope), scope);
    }
    assert.deepEqual(
      wanted.filter((claim) => !body.claims_supported.includes(claim)),
      [],
    );
    assert.deepEqual(body.response_types_supported, ['code', 'id_token token', 'id_token']);
    assert.equal(body.registration_endpoint, `${told.issuer}/oauth2/register`);
  });

  for (const way of ['with the initial access token', 'in the open']) {
    it(`oidcc-scope-all, oidcc-prompt-none-logged-in: a client registers ${way} and is used at once`, async () => {
      const { client: asked } = told.configurations.openid;
      const bearer = { authorization: `Bearer ${asked.initial_access_token}` };
      const registered = await account.send('POST', '/oauth2/register', {
        headers: way === 'in the open' ? {} : bearer,
        json: {
          client_name: asked.client_name,
          redirect_uris: [callback],
          grant_types: ['authorization_code'],
          response_types: ['code'],
          token_endpoint_auth_method: 'client_secret_basic',
        },
      });
      assert.equal(registered.status, 201, registered.text);
      const parameters = { redirect_uri: callback, scope: 'openid profile email address phone' };
      const jar = new CookieJar();
      const { email, password } = told.user;
      const query = await signInForCode(account, registered.body, { email }, parameters, jar, password);
      const tokens = await redeem(account, registered.body, query.get('code') ?? '', callback);
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const { body } = await account.send('GET', '/oauth2/userinfo', { headers });
      assert.deepEqual(Object.keys(body).sort(), wanted.toSorted());
      const silent = authorizePath(registered.body, { ...parameters, prompt: 'none' });
      const { answer } = await walk(account, jar, silent);
      assert.match(String(answer.headers['location']), /[?&]code=/);
    });
  }

  for (const alg of sampled(['ps256', 'es256'], 2)) {
    it(`fapi2-security-profile-final-happy-flow, ${alg}: with each client and its key as they were printed`, async () => {
      const plan = told.configurations[`signing_${alg}`];
      const redirectUri = `https://www.certification.openid.net/test/a/${plan.alias}/callback`;
      for (const which of [plan.client, plan.client2]) {
        const [jwk] = which.jwks.keys;
        const key = { key: (await importJWK(jwk, jwk.alg)) as client.CryptoKey, kid: jwk.kid };
        const members = { id_token_signed_response_alg: jwk.alg, authorization_signed_response_alg: jwk.alg };
        const config = await client.discovery(
          new URL(told.issuer),
          which.client_id,
          members,
          client.PrivateKeyJwt(key),
          { execute: [client.allowInsecureRequests, client.useJwtResponseMode], [client.customFetch]: send },
        );
        config[client.customFetch] = send;
        const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair(which.dpop_signing_alg));
        const pkceCodeVerifier = client.randomPKCECodeVerifier();
        const expectedState = client.randomState();
        const asked = {
          redirect_uri: redirectUri,
          scope: which.scope,
          code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
          state: expectedState,
        };
        const signed = await client.buildAuthorizationUrlWithJAR(config, asked, key);
        // The suite sends its second client there as well; the library cannot redeem a code that came to a query.
        const queried = { ...asked, redirect_uri: `${redirectUri}?dummy1=lorem&dummy2=ipsum` };
        const other = await client.buildAuthorizationUrlWithJAR(config, queried, key);
        await client.buildAuthorizationUrlWithPAR(config, other.searchParams, { DPoP });
        const pushed = await client.buildAuthorizationUrlWithPAR(config, signed.searchParams, { DPoP });
        const answered = await browse(pushed);
        const checks = { pkceCodeVerifier, expectedState, idTokenExpected: true };
        const tokens = await client.authorizationCodeGrant(config, answered, checks, undefined, { DPoP });
        const resource = new URL(plan.resource.resourceUrl);
        const used = await client.fetchProtectedResource(
          config,
          tokens.access_token,
          resource,
          'GET',
          null,
          undefined,
          {
            DPoP,
          },
        );
        assert.equal(used.status, 200);
      }
    });
  }

  it('another run sets the account again: another password, the same account, and words for people', async () => {
    const { stdout, stderr } = await run('--account', 'certify', '--alias', 'mine', '--suite', 'https://suite.test/');
    assert.match(stderr, /warning: the suite asks https addresses alone/);
    for (const text of [
      told.issuer,
      told.user.email,
      'for 10 hours',
      '"alias": "mine-fapi-ps256"',
      '"alias": "mine-signing-es256"',
      'FAPI 2.0 Message Signing, ES256: fapi2-message-signing-final-test-plan, client_auth_type=private_key_jwt',
    ]) {
      assert.ok(stdout.includes(text), text);
    }
    assert.equal(stdout.includes(told.user.password), false);
    assert.equal(stdout.includes('mtls'), false);
    const { settings } = await service.cli('account', 'show', 'certify');
    assert.deepEqual([settings.registration, settings.open_registration_consent], ['open', 'remembered']);
  });

  it('with mutual TLS: files with certificates that a proxy takes, and clients that these authenticate', async () => {
    const proxy = await startTlsProxy(new URL(service.baseUrl), account.host);
    try {
      const folder = join(service.folder, 'configurations');
      const asked = ['--account', 'certify', '--mutual-tls', proxy.origin, '--folder', folder];
      const { stdout, stderr } = await run(...asked);
      assert.doesNotMatch(stderr, /TRUST_PROXY/);
      assert.doesNotMatch(stdout, /PRIVATE KEY|"d":/);
      const files = readdirSync(folder).sort();
      const kinds = ['fapi', 'fapi_key_mtls', 'fapi_mtls', 'signing', 'signing_key_mtls', 'signing_mtls'];
      const ids = kinds.flatMap((kind) => [`${kind}_es256`, `${kind}_ps256`]);
      assert.deepEqual(files, [...ids, 'openid'].map((id) => `${id}.json`).sort());
      for (const file of files) {
        assert.ok(stdout.includes(`    ${join(folder, file)}\n`), file);
        assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600);
      }
      const plan = JSON.parse(readFileSync(join(folder, 'fapi_mtls_ps256.json'), 'utf8'));
      const { body: metadata } = await account.send('GET', '/.well-known/openid-configuration');
      assert.equal(plan.resource.resourceUrl, metadata.mtls_endpoint_aliases.userinfo_endpoint);
      const ca = new X509Certificate(plan.mtls.ca);
      assert.ok(ca.ca && ca.verify(ca.publicKey));
      for (const { cert, key } of [plan.mtls, plan.mtls2]) {
        const certificate = new X509Certificate(cert);
        assert.ok(certificate.checkIssued(ca) && certificate.verify(ca.publicKey));
        assert.ok(certificate.checkPrivateKey(createPrivateKey(key)));
        assert.equal(certificate.publicKey.asymmetricKeyType, 'rsa');
        assert.ok(certificate.validFromDate < new Date() && certificate.validToDate > new Date());
      }
      assert.notEqual(plan.mtls.cert, plan.mtls2.cert);
      const form = {
        client_id: plan.client.client_id,
        response_type: 'code',
        redirect_uri: `https://www.certification.openid.net/test/a/${plan.alias}/callback`,
        scope: plan.client.scope,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
      };
      const push = async ({ cert, key, ca: chain }: { cert: string; key: string; ca: string }) => {
        const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const tls = { cert: cert + chain, key, ca: proxy.ca };
        const address = new URL(metadata.mtls_endpoint_aliases.pushed_authorization_request_endpoint);
        request(address, { method: 'POST', headers, ...tls, agent: false }, resolve)
          .once('error', reject)
          .end(new URLSearchParams(form).toString());
        const answer = await promise;
        answer.resume();
        return answer.statusCode;
      };
      assert.deepEqual([await push(plan.mtls), await push(plan.mtls2)], [201, 400]);
    } finally {
      proxy.close();
    }
  });

  it('an account with people is left alone, and so is a suite without https', async () => {
    await service.cli('account', 'create', 'acme');
    await service.cli('user', 'create', '--account', 'acme', '--email', 'ada@example.com');
    const refused = (words: RegExp, code: number) => (error: { stderr: string; code: number }) =>
      words.test(error.stderr) && error.code === code;
    await assert.rejects(run('--account', 'acme'), refused(/acme has people in it/, 1));
    const { settings } = await service.cli('account', 'show', 'acme');
    assert.equal(settings.registration, 'token');
    await assert.rejects(run('--account', 'certify', '--suite', 'http://suite.test'), refused(/must be an https/, 2));
    // Others of its own rules, in a process for each.
    if (!isWhole) return;
    await assert.rejects(run('--account', 'certify', '--alias', 'a/b'), refused(/--alias must have/, 2));
    const plain = run('--account', 'certify', '--mutual-tls', 'http://certify.test:8444');
    await assert.rejects(plain, refused(/mutual_tls_origin must be an https address/, 1));
    await assert.rejects(run('--mutual-tls', 'https://certify.test'), refused(/--mutual-tls needs --account/, 2));
  });

  /** What the library fetches, from the account's host. */
  async function send(url: string, { method, headers, body }: client.CustomFetchOptions): Promise<Response> {
    const { pathname, search } = new URL(url);
    const raw = body === undefined || body === null ? {} : { raw: String(body) };
    const answer = await account.send(method, pathname + search, { headers, ...raw });
    return new Response(answer.text === '' ? null : answer.text, {
      status: answer.status,
      headers: Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]),
    });
  }

  /** What the user does in a browser. */
  async function browse({ pathname, search }: URL): Promise<URL> {
    const form = await walk(account, new CookieJar(), pathname + search);
    const { email, password } = told.user;
    const consent = await submit(account, form, { username: email, password });
    const isAsked = /value="allow"/.test(consent.answer.text);
    const { answer } = isAsked ? await submit(account, consent, { decision: 'allow' }) : consent;
    assert.equal(answer.status, 303, answer.text);
    return new URL(String(answer.headers['location']));
  }
});
