import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UnsecuredJWT } from 'jose';
import { type StepName, stepNames } from '../../src/cli/resource-doctor/step.ts';
import { examine, openSite, type Planted, plantedSites, statusesOf } from './resource-site.ts';

describe('gatehouse doctor <resource-url> with one thing wrong', () => {
  const openPlanted = plantedSites();

  const faults: readonly [what: string, step: StepName, says: RegExp, plant: (planted: Planted) => unknown][] = [
    [
      'answers without a token',
      'challenge',
      /answers 200 without a token/,
      ({ plant }) => plant('POST /mcp', { status: 200 }),
    ],
    ['refuses by 403', 'challenge', /403 without a token, not 401/, ({ plant }) => plant('POST /mcp', { status: 403 })],
    [
      'leads elsewhere',
      'challenge',
      /\/mcp answers 308, which leads to http:.*\/mcp\/v2$/,
      ({ plant }) => plant('POST /mcp', { status: 308, headers: { location: '/mcp/v2' } }),
    ],
    [
      'is there with a slash at the end alone',
      'challenge',
      /\/mcp answers 404 without a token, not 401, and http.*\/mcp\/ answers 401$/,
      ({ plant }) => {
        plant('POST /mcp', { status: 404 });
        plant('POST /mcp/', { status: 401 });
      },
    ],
    [
      'is not there',
      'challenge',
      /\/mcp answers 404 without a token, not 401$/,
      ({ plant }) => plant('POST /mcp', { status: 404 }),
    ],
    [
      'has no metadata',
      'resource metadata',
      /no metadata of the resource: .*\/mcp answers 404, .*\/oauth-protected-resource answers 404$/,
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
      /cannot be reached: ECONNREFUSED/,
      async ({ plant, resource }) => {
        const away = await openSite();
        away.server.close();
        plant('GET /resource', { status: 200, body: { resource, authorization_servers: [away.origin] } });
      },
    ],
    [
      'names an authorization server without metadata',
      'issuer',
      /no metadata of the authorization server .*: .* answers 404/,
      ({ plant }) => plant('GET /.well-known/oauth-authorization-server', { status: 404 }),
    ],
    [
      'names an authorization server that leads elsewhere',
      'issuer',
      /oauth-authorization-server answers 301, which leads to https:\/\/other\.example\/x, .* answers 404/,
      ({ plant }) =>
        plant('GET /.well-known/oauth-authorization-server', {
          status: 301,
          headers: { location: 'https://other.example/x' },
        }),
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
      'fails with the token',
      'call',
      /answers 500 to the token/,
      ({ plant, token, challenge }) =>
        plant('POST /mcp', ({ headers }) =>
          headers.authorization === `Bearer ${token}`
            ? { status: 500 }
            : { status: 401, headers: { 'www-authenticate': challenge } },
        ),
    ],
    [
      'has an issuer that is no text',
      'issuer',
      /says issuer \{"toString":1\}/,
      ({ plant, metadata }) =>
        plant('GET /.well-known/oauth-authorization-server', {
          status: 200,
          body: { ...metadata, issuer: { toString: 1 } },
        }),
    ],
    [
      'is registered for with an error that is no text',
      'registration',
      /a registration is refused: 400$/,
      ({ plant }) => plant('POST /register', { status: 400, body: { error: { toString: 1 } } }),
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
      await plant(planted);
      const steps = await examine(planted.resource);
      const at = stepNames.indexOf(step);
      const wanted = stepNames.map((_, place) => (place < at ? 'ok' : place === at ? 'broken' : 'skipped'));
      assert.deepEqual(statusesOf(steps), wanted, JSON.stringify(steps));
      assert.match(steps[at]?.detail ?? '', says);
      assert.ok(steps[at]?.remedy);
    });
  }

  test('an API that refuses the host: the remedy names it', async () => {
    const { plant, resource } = await openPlanted();
    for (const status of [400, 403, 421]) {
      plant('POST /mcp', { status });
      const [challenge] = await examine(resource);
      assert.match(
        challenge?.remedy ?? '',
        new RegExp(`take requests for the host ${new URL(resource).host}; then answer 401`),
      );
    }
  });
});
