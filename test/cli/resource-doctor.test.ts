import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { createRemoteJWKSet, jwtVerify, UnsecuredJWT } from 'jose';
import { type Examination, examineResource } from '../../src/cli/resource-doctor/index.ts';
import { challengeIn } from '../../src/cli/resource-doctor/resource.ts';
import type { StepName, StepResult } from '../../src/cli/resource-doctor/step.ts';
import { openProvider, type Provider } from '../conformance/provider.ts';
import { type CliFolder, cliFolder } from '../support/cli.ts';

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type Route = (request: IncomingMessage, url: URL, body: string) => Reply | Promise<Reply>;

interface Site {
  readonly origin: string;
  readonly server: Server;
  /** By method and path. */
  readonly routes: Map<string, Route>;
}

async function openSite(): Promise<Site> {
  const routes = new Map<string, Route>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const route = routes.get(`${request.method} ${url.pathname}`);
    const { status, headers = {}, body: sent } = route ? await route(request, url, body) : { status: 404 };
    const isText = typeof sent === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
    response.end(isText ? sent : JSON.stringify(sent ?? {}));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, routes, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** What the resource server says in these tests, and what the authorization server of its metadata does. */
function plantWhole({ routes, origin }: Site) {
  const resource = `${origin}/mcp`;
  const metadata = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
  const token = new UnsecuredJWT({ aud: resource }).encode().replace(/\.$/, '.signed');
  const challenge = `Bearer realm="a", resource_metadata="${origin}/resource", scope="tools:call"`;
  const deleted: string[] = [];
  const plant = (place: string, reply: Reply | Route) =>
    routes.set(place, typeof reply === 'function' ? reply : () => reply);
  plant('POST /mcp', ({ headers }) =>
    headers.authorization === `Bearer ${token}`
      ? { status: 200 }
      : { status: 401, headers: { 'www-authenticate': challenge } },
  );
  plant('GET /resource', { status: 200, body: { resource, authorization_servers: [origin] } });
  plant('GET /.well-known/oauth-authorization-server', { status: 200, body: metadata });
  plant('POST /register', {
    status: 201,
    body: { client_id: 'c-1', registration_client_uri: `${origin}/client`, registration_access_token: 'rat' },
  });
  plant('DELETE /client', ({ headers }) => {
    deleted.push(headers.authorization ?? '');
    return { status: 204 };
  });
  plant('GET /authorize', (_request, { searchParams: asked }) => {
    assert.deepEqual([asked.get('resource'), asked.get('scope')], [resource, 'tools:call']);
    if (!asked.has('signed_in')) return { status: 200, body: '<h1>Sign in</h1>' };
    const answer = new URLSearchParams({ code: 'code-1', state: asked.get('state') ?? '', iss: origin });
    return { status: 303, headers: { location: `${asked.get('redirect_uri')}?${answer}` } };
  });
  plant('POST /token', (_request, _url, body) => {
    const form = new URLSearchParams(body);
    assert.deepEqual([form.get('code'), form.get('client_id'), form.get('resource')], ['code-1', 'c-1', resource]);
    return { status: 200, body: { access_token: token, token_type: 'Bearer' } };
  });
  return { resource, metadata, token, challenge, deleted, plant };
}

/** A person who signs in: the browser follows what the authorization endpoint answers. */
function signIn(address: string): void {
  void fetch(`${address}&signed_in=1`);
}

const statusesOf = (steps: readonly StepResult[]) => steps.map(({ status }) => status);

describe('gatehouse doctor <resource-url>', () => {
  const sites: Site[] = [];
  const openPlanted = async () => {
    const site = await openSite();
    sites.push(site);
    return { site, ...plantWhole(site) };
  };
  const examine = (url: string, more: Partial<Examination> = {}) =>
    examineResource({ url, clientId: undefined, scope: undefined, signIn, ...more });
  afterEach(() => {
    for (const { server } of sites.splice(0)) server.close().closeAllConnections();
  });

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

  type Planted = Awaited<ReturnType<typeof openPlanted>>;
  const faults: readonly [what: string, step: StepName, says: RegExp, plant: (planted: Planted) => void][] = [
    [
      'answers without a token',
      'challenge',
      /answers 200 without a token/,
      ({ plant }) => plant('POST /mcp', { status: 200 }),
    ],
    ['refuses by 403', 'challenge', /403 without a token, not 401/, ({ plant }) => plant('POST /mcp', { status: 403 })],
    [
      'has no metadata',
      'resource metadata',
      /no metadata of the resource at .*\/mcp or /,
      ({ plant }) => plant('POST /mcp', { status: 401 }),
    ],
    [
      'has a page in place of metadata',
      'resource metadata',
      /is not a JSON object/,
      ({ plant }) => plant('GET /resource', { status: 200, body: '<html>' }),
    ],
    [
      'is named with a slash at the end',
      'resource metadata',
      /\/mcp\/, and clients use .*\/mcp \(a slash at the end differs\)/,
      ({ plant, resource, site }) =>
        plant('GET /resource', {
          status: 200,
          body: { resource: `${resource}/`, authorization_servers: [site.origin] },
        }),
    ],
    [
      'is named with another port',
      'resource metadata',
      /the port differs/,
      ({ plant, site }) =>
        plant('GET /resource', {
          status: 200,
          body: { resource: 'http://127.0.0.1:1/mcp', authorization_servers: [site.origin] },
        }),
    ],
    [
      'names no authorization server',
      'resource metadata',
      /names no authorization server/,
      ({ plant, resource }) => plant('GET /resource', { status: 200, body: { resource, authorization_servers: [] } }),
    ],
    [
      'names an authorization server that is away',
      'issuer',
      /127\.0\.0\.1:1\/.* cannot be reached: (ECONNREFUSED|bad port)/,
      ({ plant, resource }) =>
        plant('GET /resource', { status: 200, body: { resource, authorization_servers: ['http://127.0.0.1:1'] } }),
    ],
    [
      'names an authorization server without metadata',
      'issuer',
      /no metadata of the authorization server/,
      ({ plant }) => plant('GET /.well-known/oauth-authorization-server', { status: 404 }),
    ],
    [
      'names the issuer with a slash',
      'issuer',
      /says issuer .*, and the resource names .*\/$/,
      ({ plant, resource, site }) =>
        plant('GET /resource', { status: 200, body: { resource, authorization_servers: [`${site.origin}/`] } }),
    ],
    [
      'has an authorization server without PKCE',
      'issuer',
      /does not offer PKCE with S256/,
      ({ plant, metadata }) =>
        plant('GET /.well-known/oauth-authorization-server', {
          status: 200,
          body: { ...metadata, code_challenge_methods_supported: ['plain'] },
        }),
    ],
    [
      'has an authorization server without registration',
      'registration',
      /lets no client register itself/,
      ({ plant, metadata: { registration_endpoint: _, ...others } }) =>
        plant('GET /.well-known/oauth-authorization-server', { status: 200, body: others }),
    ],
    [
      'has an authorization server whose registration is closed',
      'registration',
      /refused: 403 access_denied Registration is closed/,
      ({ plant }) =>
        plant('POST /register', {
          status: 403,
          body: { error: 'access_denied', error_description: 'Registration is closed' },
        }),
    ],
    [
      'is unknown to the authorization server, which redirects',
      'authorization',
      /invalid_target, no API/,
      ({ plant }) =>
        plant('GET /authorize', (_request, { searchParams }) => ({
          status: 303,
          headers: {
            location: `${searchParams.get('redirect_uri')}?error=invalid_target&error_description=no+API`,
          },
        })),
    ],
    [
      'is unknown to the authorization server, whose page waits',
      'authorization',
      /refuses: invalid_scope/,
      ({ plant }) =>
        plant('GET /authorize', (_request, { searchParams }) => ({
          status: 200,
          body: `<a href="${searchParams.get('redirect_uri')}?error=invalid_scope&amp;state=x">Continue</a>`,
        })),
    ],
    [
      'has an authorization endpoint that knows no such client',
      'authorization',
      /answers 400: This request cannot be used/,
      ({ plant }) => plant('GET /authorize', { status: 400, body: '<h1>This request cannot be used</h1>' }),
    ],
    [
      'gets a token for another resource',
      'token',
      /the token is for https:\/\/other\.example, not for /,
      ({ plant }) => {
        const access_token = new UnsecuredJWT({ aud: 'https://other.example' }).encode().replace(/\.$/, '.signed');
        plant('POST /token', { status: 200, body: { access_token } });
      },
    ],
    [
      'gets no token',
      'token',
      /refused: 400 invalid_grant/,
      ({ plant }) => plant('POST /token', { status: 400, body: { error: 'invalid_grant' } }),
    ],
    [
      'does not take the token',
      'call',
      /answers 401 to the token: invalid_token, wrong issuer/,
      ({ plant, challenge }) =>
        plant('POST /mcp', {
          status: 401,
          headers: { 'www-authenticate': `${challenge}, error="invalid_token", error_description="wrong issuer"` },
        }),
    ],
    [
      'asks for another scope',
      'call',
      /answers 403 to the token: insufficient_scope/,
      ({ plant, token, challenge }) =>
        plant('POST /mcp', ({ headers }) =>
          headers.authorization === `Bearer ${token}`
            ? { status: 403, headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' } }
            : { status: 401, headers: { 'www-authenticate': challenge } },
        ),
    ],
  ];
  for (const [what, step, says, plant] of faults) {
    test(`an API that ${what}: broken at the step ${step}, with a remedy`, async () => {
      const planted = await openPlanted();
      plant(planted);
      const steps = await examine(planted.resource);
      const broken = steps.filter(({ status }) => status === 'broken');
      assert.deepEqual(
        broken.map((one) => one.step),
        [step],
        JSON.stringify(steps),
      );
      assert.match(broken[0]?.detail ?? '', says);
      assert.ok(broken[0]?.remedy);
      const behind = steps.slice(steps.findIndex(({ status }) => status === 'broken') + 1);
      assert.ok(behind.every(({ status }) => status === 'skipped'));
    });
  }

  test('answers of any size and form end a step, not the command', async () => {
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
      for (const wrong of ['mcp.example.com', 'ftp://a.example', `${url}#x`]) {
        const { exitCode, stderr } = await cli.ask(['doctor', wrong]);
        assert.equal(exitCode, 1);
        assert.match(stderr, /resource-url must be a web address/);
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
      const examine = () => examineResource({ url: resource, clientId, scope: undefined, signIn: person });
      const unlinked = await examine();
      assert.equal(unlinked[4]?.status, 'broken', JSON.stringify(unlinked));
      assert.match(unlinked[4]?.detail ?? '', /invalid_target/);
      await assign(appId);
      await link(appId, resource, ['tools:call']);
      const steps = await examine();
      assert.deepEqual(statusesOf(steps), Array(7).fill('ok'), JSON.stringify(steps));
    } finally {
      site.server.close().closeAllConnections();
    }
  });
});
