import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { challengeIn } from '../../src/cli/resource-doctor/resource.ts';
import { openProvider, type Provider } from '../conformance/provider.ts';
import { type CliFolder, cliFolder } from '../support/cli.ts';
import { examine, openSite, plantedSites, statusesOf } from './resource-site.ts';

describe('gatehouse doctor <resource-url>', () => {
  const openPlanted = plantedSites();

  test('walks from the challenge to a call with a token, and leaves no client behind', async () => {
    const { resource, deleted } = await openPlanted();
    const steps = await examine(resource);
    assert.deepEqual(statusesOf(steps), Array(7).fill('ok'), JSON.stringify(steps));
    assert.deepEqual(deleted, ['Bearer rat']);
  });

  test('without a person it stops before the token, and nothing is broken', async () => {
    const { resource } = await openPlanted();
    const steps = await examine(resource, { signIn: undefined });
    assert.deepEqual(statusesOf(steps), [...Array(5).fill('ok'), 'skipped', 'skipped']);
    assert.match(steps[5]?.remedy ?? '', /--sign-in/);
  });

  test('without a challenge parameter it finds the metadata where RFC 9728 §3.1 puts it', async () => {
    const { resource, plant, site } = await openPlanted();
    plant('POST /mcp', { status: 401, headers: { 'www-authenticate': 'Bearer realm="a"' } });
    const body = { resource, authorization_servers: [site.origin], scopes_supported: ['tools:call'] };
    plant('GET /.well-known/oauth-protected-resource/mcp', { status: 200, body });
    assert.deepEqual(statusesOf(await examine(resource, { signIn: undefined })).slice(0, 5), Array(5).fill('ok'));
  });

  test('the token of a registration goes back to where it came from, and nowhere else', async () => {
    const { resource, plant, deleted, site } = await openPlanted();
    const uri = site.origin.replace('127.0.0.1', 'localhost');
    const body = { client_id: 'c-1', registration_client_uri: `${uri}/client`, registration_access_token: 'rat' };
    plant('POST /register', { status: 201, body });
    await examine(resource, { signIn: undefined });
    assert.deepEqual(deleted, []);
  });

  test('an answer without the state is nobody’s, and a token that only looks like a JWT is taken', async () => {
    const { resource, plant } = await openPlanted();
    plant('POST /token', { status: 200, body: { access_token: 'a.b.c' } });
    plant('POST /mcp', ({ headers }) =>
      headers.authorization === 'Bearer a.b.c'
        ? { status: 200 }
        : {
            status: 401,
            headers: {
              'www-authenticate': `Bearer resource_metadata="${new URL(resource).origin}/resource", scope="tools:call"`,
            },
          },
    );
    const signIn = async (address: string) => {
      const to = new URL(address).searchParams.get('redirect_uri');
      assert.equal((await fetch(`${to}?error=x&state=guessed`)).status, 404);
      await fetch(`${address}&signed_in=1`);
    };
    assert.deepEqual(statusesOf(await examine(resource, { signIn })), Array(7).fill('ok'));
  });

  test('a long heading of a page takes no time', async () => {
    const { resource, plant } = await openPlanted();
    plant('GET /authorize', { status: 400, body: '<h1'.repeat(300_000) });
    const steps = await examine(resource);
    assert.match(steps[4]?.detail ?? '', /answers 400$/);
  });

  test('answers of any size end a step, not the command', async () => {
    const { resource, plant } = await openPlanted();
    plant('GET /resource', { status: 200, body: 'x'.repeat(2_000_000) });
    const steps = await examine(resource);
    assert.match(steps.find(({ status }) => status === 'broken')?.detail ?? '', /more than 1 MiB/);
  });

  test('a challenge is read among others, quoted or not', () => {
    assert.deepEqual(challengeIn('Basic realm="x", Bearer error=invalid_token, scope="a \\"b\\""'), {
      error: 'invalid_token',
      scope: 'a "b"',
    });
    assert.deepEqual(challengeIn('Basic realm="x"'), {});
  });
});

describe('gatehouse doctor <resource-url>, the command', () => {
  let cli: CliFolder;
  before(() => {
    cli = cliFolder();
  });
  after(() => cli.remove());

  test('says each step as a table or as JSON, exits with 1 where one is broken, and needs no installation', async () => {
    const site = await openSite();
    try {
      const url = `${site.origin}/mcp`;
      const asJson = await cli.ask(['doctor', url, '--json']);
      assert.equal(asJson.exitCode, 1, asJson.stderr);
      const { resource, steps } = JSON.parse(asJson.stdout);
      assert.equal(resource, url);
      assert.deepEqual(statusesOf(steps), ['broken', ...Array(6).fill('skipped')]);
      const { stdout } = await cli.ask(['doctor', url]);
      assert.match(stdout, /^STEP +STATUS +DETAIL +REMEDY\nchallenge +broken +http\S+ answers 404/);
      assert.match((await cli.ask(['doctor', '--sign-in'])).stderr, /give its address as well/);
      for (const wrong of ['mcp.example.com', 'ftp://a.example', `${url}#x`, url.replace('//', '//u:secret@')]) {
        const { exitCode, stderr } = await cli.ask(['doctor', wrong]);
        assert.equal(exitCode, 1);
        assert.match(stderr, /resource-url must be a web address/);
        assert.doesNotMatch(stderr, /secret/);
      }
    } finally {
      site.server.close().closeAllConnections();
    }
  });
});

describe('gatehouse doctor <resource-url> with this service', () => {
  let provider: Provider;
  before(async () => {
    provider = await openProvider('sqlite');
  });
  after(() => provider.close());

  test('a client that is linked to the API gets a token that the API takes', async () => {
    const site = await openSite();
    try {
      const { issuer, initialAccessToken, assign, link, browse } = provider;
      const resource = `${site.origin}/mcp`;
      const keys = createRemoteJWKSet(new URL('/oauth2/jwks', issuer));
      const challenge = `Bearer resource_metadata="${site.origin}/.well-known/oauth-protected-resource/mcp"`;
      site.routes.set('POST /mcp', async ({ headers }) => {
        const sent = headers.authorization?.replace(/^Bearer /, '') ?? '';
        const rules = { issuer: issuer.origin, audience: resource, typ: 'at+jwt' };
        const isGood = await jwtVerify(sent, keys, rules).then(
          () => true,
          () => false,
        );
        return isGood ? { status: 200 } : { status: 401, headers: { 'www-authenticate': challenge } };
      });
      site.routes.set('GET /.well-known/oauth-protected-resource/mcp', () => ({
        status: 200,
        body: { resource, authorization_servers: [issuer.origin], scopes_supported: ['tools:call'] },
      }));
      const registered = await fetch(new URL('/oauth2/register', issuer), {
        method: 'POST',
        headers: { authorization: `Bearer ${initialAccessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          client_name: 'A tool',
          application_type: 'native',
          redirect_uris: ['http://127.0.0.1/callback'],
          token_endpoint_auth_method: 'none',
        }),
      });
      const { client_id: clientId, app_id: appId } = (await registered.json()) as Record<string, string>;
      const person = (address: string) => void browse(new URL(address)).then((to) => fetch(to));
      const unlinked = await examine(resource, { clientId, signIn: person });
      assert.equal(unlinked[4]?.status, 'broken', JSON.stringify(unlinked));
      assert.match(unlinked[4]?.detail ?? '', /invalid_target/);
      await assign(appId);
      await link(appId, resource, ['tools:call']);
      const steps = await examine(resource, { clientId, signIn: person });
      assert.deepEqual(statusesOf(steps), Array(7).fill('ok'), JSON.stringify(steps));
    } finally {
      site.server.close().closeAllConnections();
    }
  });
});
