/**
 * The modules of the OpenID Foundation's FAPI 2.0 plans by their names (docs/conformance.md), each walked with the
 * clients that the account's command registers and the configuration that it prints.
 */

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type CryptoKey, exportJWK, importJWK } from 'jose';
import { certify } from '../../scripts/conformance/certify.ts';
import { type FapiPlan, fapiPlans, usesCertificates } from '../../scripts/conformance/plans.ts';
import { requireAccount } from '../../src/domain/accounts/accounts.ts';
import { openTestApp, seenFrom, type TestApp } from '../support/app.ts';
import type { Answer } from '../support/conforms.ts';
import { newProofKey, type ProofChanges } from '../support/dpop.ts';
import { isSampled, isWhole, sampledDatabases } from '../support/sample.ts';
import { CookieJar } from '../support/sign-in.ts';
import { rowsOf } from './certification-page.ts';
import {
  type Asking,
  type Assertion,
  type Chosen,
  type Configuration,
  type Pushing,
  SuiteClient,
} from './suite-client.ts';

const certificates = 'https://certify.example.com:8444';
const suite = { url: 'https://www.certification.openid.net', alias: 'gatehouse' };

interface Module {
  /** Which plans have it, in words of the page: all of `conditions` that it names; without it all plans. */
  readonly where?: string;
  readonly run: (chosen: Chosen) => Promise<void>;
}

const proves = (plan: FapiPlan) => !usesCertificates(plan);
const asserts = ({ variants }: FapiPlan) => variants.client_auth_type === 'private_key_jwt';

const conditions: Readonly<Record<string, (plan: FapiPlan) => boolean>> = {
  DPoP: proves,
  private_key_jwt: asserts,
  'Message Signing': ({ signs }) => signs,
  PS256: ({ alg }) => alg === 'PS256',
};

function isIn(plan: FapiPlan, { where }: Module): boolean {
  return where === undefined || where.split(', ').every((word) => conditions[word]?.(plan) ?? assert.fail(word));
}

function assertRefused(answer: Answer, ...errors: readonly string[]): void {
  assert.equal(answer.status, 400, answer.text);
  assert.ok(errors.includes(answer.body.error), answer.text);
  // RFC 6749 §5.2.
  assert.match(answer.body.error_description, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
}

const assertClientRefused = (answer: Answer) => assertRefused(answer, 'invalid_client', 'invalid_request');

/** A page for the user, where the suite waits for a picture of it. */
function assertPage(answer: Answer): void {
  assert.equal(answer.status, 400, answer.text.slice(0, 300));
  assert.match(String(answer.headers['content-type']), /^text\/html/);
}

async function assertError(client: SuiteClient, answer: Answer, error: string): Promise<void> {
  const called = await client.called(answer);
  const { error: told, state, iss, ...others } = called;
  assert.deepEqual([told, state, iss], [error, client.parameters()['state'], client.issuer]);
  assert.deepEqual(
    Object.keys(others).filter((name) => name !== 'error_description'),
    [],
  );
}

/** From the request to the resource; answers the tokens. */
async function flow(client: SuiteClient, pushing: Pushing = {}, asking: Asking = {}) {
  const code = await client.code(pushing);
  assert.ok(code.length >= 22);
  const tokens = await client.tokens(await client.redeem(code, asking));
  assert.equal(tokens.id['nonce'], client.parameters(pushing.parameters)['nonce']);
  const used = await client.use(tokens.access);
  assert.deepEqual([used.status, used.body?.sub], [200, tokens.id.sub], used.text);
  assert.ok(used.headers['date']);
  return { ...tokens, code };
}

const succeeds =
  (pushing: Pushing | ((client: SuiteClient) => Pushing)): Module['run'] =>
  async (chosen) => {
    const client = await SuiteClient.open(chosen);
    await flow(client, typeof pushing === 'function' ? pushing(client) : pushing);
  };

/** A request that is refused where it is pushed. */
const refuses =
  (pushing: Pushing | ((client: SuiteClient) => Pushing | Promise<Pushing>), ...errors: string[]): Module['run'] =>
  async (chosen) => {
    const client = await SuiteClient.open(chosen);
    assertRefused(await client.push(typeof pushing === 'function' ? await pushing(client) : pushing), ...errors);
  };

/** A code that is not redeemed so. */
const keeps =
  (asking: Asking | ((client: SuiteClient) => Asking), ...errors: string[]): Module['run'] =>
  async (chosen) => {
    const client = await SuiteClient.open(chosen);
    const code = await client.code();
    assertRefused(await client.redeem(code, typeof asking === 'function' ? asking(client) : asking), ...errors);
  };

const badObject = 'invalid_request_object';
const flip = (text: string) => text.slice(0, -9) + (text.at(-9) === 'A' ? 'B' : 'A') + text.slice(-8);
const from = (seconds: number) => (client: SuiteClient) => client.now + seconds;
const late = (client: SuiteClient) => ({ iat: from(70)(client), nbf: from(70)(client), exp: from(130)(client) });
const soon = (client: SuiteClient) => ({ iat: from(8)(client), nbf: from(8)(client) });
const long = (length: number) => randomBytes(length).toString('base64url').slice(0, length);
const newVerifier = () => randomBytes(32).toString('base64url');

/** The client's proofs everywhere, changed so. */
const proofs = (changes: (client: SuiteClient) => ProofChanges, atPar: boolean): Module => ({
  where: 'DPoP',
  run: async (chosen) => {
    const client = await SuiteClient.open(chosen);
    client.sender = { ...client.sender, changes: changes(client) };
    const { proof } = client.sender;
    await flow(client, atPar && proof ? { proof, changes: changes(client) } : {});
  },
});

/** An assertion that is refused at both endpoints where the suite sends one. */
const assertion = (form: (client: SuiteClient) => Assertion): Module => ({
  where: 'private_key_jwt',
  run: async (chosen) => {
    const client = await SuiteClient.open(chosen);
    assertClientRefused(await client.push({ assertion: form(client) }));
    const code = await client.code();
    assertClientRefused(await client.redeem(code, { assertion: form(client) }));
  },
});

const object = (claims: (client: SuiteClient) => Readonly<Record<string, unknown>>): Module => ({
  where: 'Message Signing',
  run: refuses((client) => ({ object: claims(client) }), badObject),
});

const modules: Readonly<Record<string, Module>> = {
  'fapi2-security-profile-final-discovery-end-point-verification': {
    run: async ({ app, plan, isJarm, configuration }) => {
      const { origin, pathname } = new URL(configuration.server.discoveryUrl);
      const { status, headers, body } = await app.send('GET', pathname);
      assert.deepEqual([status, body.issuer], [200, origin]);
      assert.match(String(headers['content-type']), /^application\/json/);
      for (const [name, value] of [
        ['response_types_supported', 'code'],
        ['id_token_signing_alg_values_supported', plan.alg],
        ['userinfo_signing_alg_values_supported', plan.alg],
        ['token_endpoint_auth_signing_alg_values_supported', plan.alg],
        ['request_object_signing_alg_values_supported', plan.alg],
        ['code_challenge_methods_supported', 'S256'],
        ['scopes_supported', 'openid'],
        ['scopes_supported', 'email'],
        ['grant_types_supported', 'refresh_token'],
        ['subject_types_supported', 'public'],
        ['token_endpoint_auth_methods_supported', asserts(plan) ? 'private_key_jwt' : 'self_signed_tls_client_auth'],
        ...(isJarm ? [['response_modes_supported', 'jwt'] as const] : []),
        ...(isJarm ? [['authorization_signing_alg_values_supported', plan.alg] as const] : []),
        ...(proves(plan) ? [['dpop_signing_alg_values_supported', plan.alg] as const] : []),
      ] as const) {
        assert.ok(body[name].includes(value), name);
      }
      assert.equal(body.authorization_response_iss_parameter_supported, true);
      assert.equal(typeof body.require_pushed_authorization_requests, 'boolean');
      assert.equal(body.pushed_authorization_request_endpoint, `${origin}/oauth2/par`);
      if (proves(plan)) return assert.equal(configuration.resource.resourceUrl, body.userinfo_endpoint);
      assert.equal(body.tls_client_certificate_bound_access_tokens, true);
      assert.equal(body.mtls_endpoint_aliases.userinfo_endpoint, configuration.resource.resourceUrl);
      assert.equal(body.mtls_endpoint_aliases.pushed_authorization_request_endpoint, `${certificates}/oauth2/par`);
    },
  },
  'fapi2-security-profile-final-happy-flow': {
    run: async (chosen) => {
      const [first, second] = [await SuiteClient.open(chosen), await SuiteClient.open(chosen, 2)];
      const one = await flow(first);
      const known = ['iss', 'sub', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'azp', 'at_hash', 's_hash'];
      // The suite warns of it: RP-Initiated and Back-Channel Logout need it.
      assert.deepEqual(
        Object.keys(one.id).filter((name) => !known.includes(name)),
        ['sid'],
      );
      for (const accept of ['application/json;charset=UTF-8', 'application/json, application/*+json, */*']) {
        assert.equal((await first.use(one.access, { headers: { accept } })).status, 200, accept);
      }
      const inQuery = `/oauth2/userinfo?access_token=${one.access}`;
      assert.equal((await chosen.app.send('GET', inQuery)).status, 401);
      const key = second.sender.proof;
      const two = await flow(second, {
        parameters: { state: long(128), nonce: long(43), ...(key && { dpop_jkt: key.thumbprint }) },
        object: { iat: second.now },
        signing: { header: { typ: 'oauth-authz-req+jwt' } },
      });
      assert.equal((await first.use(two.access)).status, 401);
    },
  },
  'fapi2-security-profile-final-user-rejects-authentication': {
    run: async (chosen) => {
      for (const which of [1, 2] as const) {
        const client = await SuiteClient.open(chosen, which);
        await assertError(client, await client.cancel(client.addressOf(await client.push())), 'access_denied');
      }
    },
  },
  'fapi2-security-profile-final-ensure-request-object-with-multiple-aud-succeeds': {
    where: 'Message Signing',
    run: succeeds((client) => ({ object: { aud: [client.issuer, 'https://other1.example.com', 'invalid'] } })),
  },
  'fapi2-security-profile-final-ensure-authorization-request-without-state-success': {
    run: succeeds({ parameters: { state: undefined } }),
  },
  'fapi2-security-profile-final-ensure-authorization-request-without-nonce-success': {
    run: succeeds({ parameters: { nonce: undefined } }),
  },
  'fapi2-security-profile-final-ensure-authorization-request-with-64-char-nonce-success': {
    run: succeeds({ parameters: { nonce: long(64) } }),
  },
  'fapi2-security-profile-final-ensure-other-scope-order-succeeds': {
    run: async (chosen) => {
      const scope = chosen.configuration.client.scope.split(' ');
      assert.ok(scope.length > 1);
      await succeeds({ parameters: { scope: scope.toReversed().join(' ') } })(chosen);
    },
  },
  'fapi2-security-profile-final-test-claims-parameter-identity-claims': {
    run: async (chosen) => {
      const { app, plan } = chosen;
      const { body } = await app.send('GET', '/.well-known/openid-configuration');
      const ofToken = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash', 'amr', 'acr', 'sid'];
      const names = (body.claims_supported as string[]).filter((name) => ![...ofToken, 'groups'].includes(name));
      assert.ok(names.length > 15);
      const asked = Object.fromEntries([...names, 'a_random_claim'].map((name) => [name, null]));
      const claims = { id_token: asked, userinfo: { ...asked, email: { essential: true } } };
      const client = await SuiteClient.open(chosen);
      const code = await client.code({ parameters: { claims: plan.signs ? claims : JSON.stringify(claims) } });
      const tokens = await client.tokens(await client.redeem(code));
      const { body: told } = await client.use(tokens.access);
      const all: Record<string, unknown> = { ...told, ...tokens.id };
      assert.deepEqual(
        names.filter((name) => all[name] === undefined),
        [],
      );
      assert.equal('a_random_claim' in all, false);
      assert.equal(told.sub, tokens.id.sub);
    },
  },
  'fapi2-security-profile-final-access-token-type-header-case-sensitivity': {
    run: async (chosen) => {
      const client = await SuiteClient.open(chosen);
      const { access } = await flow(client);
      const scheme = client.sender.proof ? 'dPOp' : 'bEARER';
      assert.equal((await client.use(access, { scheme })).status, 200);
    },
  },
  'fapi2-security-profile-final-ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted': {
    where: 'Message Signing',
    run: succeeds((client) => ({ object: { nbf: from(8)(client) } })),
  },
  'fapi2-security-profile-final-check-dpop-proof-nbf-exp': proofs(
    (client) => ({ claims: { nbf: client.now, exp: from(300)(client) } }),
    false,
  ),
  'fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-before-succeeds': proofs(
    (client) => ({ claims: { iat: from(-10)(client) } }),
    true,
  ),
  'fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-after-succeeds': proofs(
    (client) => ({ claims: { iat: from(10)(client) } }),
    true,
  ),
  'fapi2-security-profile-final-ensure-mismatched-dpop-jkt-fails': {
    where: 'DPoP',
    run: refuses(
      async ({ sender }) => ({
        parameters: { dpop_jkt: (await newProofKey()).thumbprint },
        ...(sender.proof && { proof: sender.proof }),
      }),
      'invalid_request',
      'invalid_dpop_proof',
    ),
  },
  'fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt': {
    where: 'DPoP',
    run: async (chosen) => {
      const client = await SuiteClient.open(chosen);
      const code = await client.code({ proof: await newProofKey(chosen.plan.alg) });
      assertRefused(await client.redeem(code), 'invalid_request', 'invalid_grant', 'invalid_dpop_proof');
    },
  },
  'fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-jkt': {
    where: 'DPoP',
    run: async (chosen) => {
      const client = await SuiteClient.open(chosen);
      const code = await client.code({ parameters: { dpop_jkt: (await newProofKey()).thumbprint } });
      assertRefused(await client.redeem(code), 'invalid_request', 'invalid_grant', 'invalid_dpop_proof');
    },
  },
  'fapi2-security-profile-final-ensure-dpopproof-at-par-endpoint-binding-success': proofs(() => ({}), true),
  'fapi2-security-profile-final-ensure-dpop-auth-code-binding-success': {
    where: 'DPoP',
    run: succeeds(({ sender: { proof } }) =>
      proof ? { parameters: { dpop_jkt: proof.thumbprint }, proof } : assert.fail(),
    ),
  },
  'fapi2-security-profile-final-ensure-different-nonce-inside-and-outside-request-object': {
    run: async (chosen) => {
      const client = await SuiteClient.open(chosen);
      const address = client.addressOf(await client.push(), { nonce: 'another nonce' });
      const { code } = await client.called(await client.browse(address));
      const { id } = await client.tokens(await client.redeem(String(code)));
      assert.equal(id['nonce'], client.parameters()['nonce']);
    },
  },
  'fapi2-security-profile-final-ensure-different-state-inside-and-outside-request-object': {
    run: async (chosen) => {
      const client = await SuiteClient.open(chosen);
      const address = client.addressOf(await client.push(), { state: 'another state' });
      const { state } = await client.called(await client.browse(address));
      assert.equal(state, client.parameters()['state']);
    },
  },
  'fapi2-security-profile-final-ensure-authorization-request-with-long-nonce': {
    run: succeeds({ parameters: { nonce: long(384) } }),
  },
  'fapi2-security-profile-final-ensure-authorization-request-with-long-state': {
    run: succeeds({ parameters: { state: long(1000) } }),
  },
  'fapi2-security-profile-final-ensure-request-object-without-exp-fails': object(() => ({ exp: undefined })),
  'fapi2-security-profile-final-ensure-request-object-without-nbf-fails': object(() => ({ nbf: undefined })),
  'fapi2-security-profile-final-state-only-outside-request-object-not-used': {
    run: async (chosen) => {
      const client = await SuiteClient.open(chosen);
      const pushed = await client.push({ parameters: { state: undefined } });
      const { state, code } = await client.called(await client.browse(client.addressOf(pushed, { state: 'x' })));
      assert.deepEqual([state, typeof code], [undefined, 'string']);
    },
  },
  'fapi2-security-profile-final-ensure-request-object-without-redirect-uri-fails': {
    run: refuses({ parameters: { redirect_uri: undefined } }, 'invalid_request', badObject),
  },
  'fapi2-security-profile-final-ensure-expired-request-object-fails': object((client) => ({
    nbf: from(-600)(client),
    exp: from(-300)(client),
  })),
  'fapi2-security-profile-final-ensure-request-object-with-bad-aud-fails': object(() => ({
    aud: 'https://www.other1.example.com',
  })),
  'fapi2-security-profile-final-ensure-request-object-with-exp-over-60-fails': object((client) => ({
    exp: from(70 * 60)(client),
  })),
  'fapi2-security-profile-final-ensure-request-object-with-nbf-over-60-fails': object((client) => ({
    nbf: from(-70 * 60)(client),
  })),
  'fapi2-security-profile-final-ensure-signed-request-object-with-RS256-fails': {
    where: 'Message Signing, PS256',
    run: refuses({ signing: { header: { alg: 'RS256' } } }, badObject),
  },
  'fapi2-security-profile-final-ensure-request-object-signature-algorithm-is-not-none': {
    where: 'Message Signing',
    run: refuses({ signing: { header: { alg: 'none' } } }, badObject),
  },
  'fapi2-security-profile-final-ensure-request-object-with-invalid-signature-fails': {
    where: 'Message Signing',
    run: refuses({ signing: { spoil: flip } }, badObject),
  },
  'fapi2-security-profile-final-ensure-matching-key-in-authorization-request': {
    where: 'Message Signing',
    run: refuses(
      async ({ chosen }) => ({ signing: { key: (await SuiteClient.open(chosen, 2)).key } }),
      'invalid_request',
      badObject,
    ),
  },
  'fapi2-security-profile-final-ensure-unsigned-request-at-par-endpoint-fails': {
    where: 'Message Signing',
    run: refuses({ unsigned: true }, 'invalid_request'),
  },
  'fapi2-security-profile-final-plain-fapi-tolerate-unregistered-redirect-uri': {
    run: refuses(
      ({ redirectUri }) => ({ parameters: { redirect_uri: `${redirectUri}/unregistered` } }),
      'invalid_request',
      badObject,
    ),
  },
  'fapi2-security-profile-final-ensure-unsigned-authorization-request-without-using-par-fails': {
    run: async (chosen) => {
      const client = await SuiteClient.open(chosen);
      const query = new URLSearchParams(client.parameters() as Record<string, string>);
      await assertError(client, await client.browse(`/oauth2/authorize?${query}`), 'invalid_request');
    },
  },
  'fapi2-security-profile-final-ensure-redirect-uri-in-authorization-request': {
    run: refuses({ parameters: { redirect_uri: undefined } }, 'invalid_request', badObject),
  },
  'fapi2-security-profile-final-ensure-response-type-code-idtoken-fails': {
    run: refuses({ parameters: { response_type: 'code id_token' } }, 'unsupported_response_type', 'invalid_request'),
  },
  'fapi2-security-profile-final-ensure-response-type-token-fails': {
    run: refuses({ parameters: { response_type: 'token' } }, 'unsupported_response_type', 'invalid_request'),
  },
  'fapi2-security-profile-final-ensure-client-id-in-token-endpoint': {
    run: async (chosen) => {
      const [client, other] = [await SuiteClient.open(chosen), await SuiteClient.open(chosen, 2)];
      const code = await client.code();
      const claims = { iss: other.id, sub: other.id };
      const asked = await client.redeem(code, { form: { client_id: other.id }, assertion: { claims } });
      assertRefused(asked, 'invalid_client', 'invalid_grant');
    },
  },
  'fapi2-security-profile-final-ensure-holder-of-key-required': {
    run: async (chosen) => {
      const errors = asserts(chosen.plan)
        ? ['invalid_request', 'invalid_grant']
        : ['invalid_client', 'invalid_request'];
      await keeps({ sender: null }, ...errors)(chosen);
    },
  },
  'fapi2-security-profile-final-ensure-authorization-code-is-bound-to-client': {
    run: async (chosen) => {
      const [client, other] = [await SuiteClient.open(chosen), await SuiteClient.open(chosen, 2)];
      assertRefused(
        await other.redeem(await client.code(), { form: { redirect_uri: client.redirectUri } }),
        'invalid_grant',
      );
    },
  },
  'fapi2-security-profile-final-attempt-reuse-authorization-code-after-one-second': {
    run: async (chosen) => {
      const client = await SuiteClient.open(chosen);
      const { code, access } = await flow(client);
      chosen.app.services.clock.advance(1000);
      assertRefused(await client.redeem(code), 'invalid_grant');
      assert.equal((await client.use(access)).status, 401);
    },
  },
  'fapi2-security-profile-final-ensure-token-endpoint-fails-with-expired-auth-code': {
    run: async (chosen) => {
      const client = await SuiteClient.open(chosen);
      const code = await client.code();
      chosen.app.services.clock.advance(62_000);
      assertRefused(await client.redeem(code), 'invalid_grant');
    },
  },
  'fapi2-security-profile-final-ensure-signed-client-assertion-with-RS256-fails': {
    ...assertion(() => ({ header: { alg: 'RS256' } })),
    where: 'private_key_jwt, PS256',
  },
  'fapi2-security-profile-final-ensure-client-assertion-in-token-endpoint': assertion(() => ({
    form: { client_assertion: undefined, client_assertion_type: undefined },
  })),
  'fapi2-security-profile-final-ensure-client-assertion-with-exp-is-5-minutes-in-past-fails': assertion((client) => ({
    claims: { exp: from(-300)(client) },
  })),
  'fapi2-security-profile-final-ensure-client-assertion-with-wrong-aud-fails': assertion(() => ({
    claims: { aud: 'https://www.other1.example.com' },
  })),
  'fapi2-security-profile-final-ensure-client-assertion-with-no-sub-fails': assertion(() => ({
    claims: { sub: undefined },
  })),
  'fapi2-security-profile-final-ensure-invalid-client-assertions-fail': {
    where: 'private_key_jwt',
    run: async (chosen) => {
      const client = await SuiteClient.open(chosen);
      const bad: readonly Assertion[] = [
        { form: { client_assertion_type: undefined } },
        { form: { client_assertion_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' } },
        { claims: { sub: 'somebody' } },
        { claims: { iss: undefined } },
        { claims: { iss: 'somebody' } },
        { claims: { aud: undefined } },
        { header: { alg: 'none' } },
        { spoil: flip },
      ];
      for (const one of bad) assertClientRefused(await client.push({ assertion: one }));
      for (const one of [{ claims: soon(client) }, {}]) client.addressOf(await client.push({ assertion: one }));
    },
  },
  'fapi2-security-profile-final-dpop-negative-tests': {
    where: 'DPoP',
    run: async (chosen) => {
      const client = await SuiteClient.open(chosen);
      const { access } = await flow(client);
      const proof = client.sender.proof ?? assert.fail();
      const other = await newProofKey(chosen.plan.alg);
      const { issuer } = client;
      const use = (changes: ProofChanges, key = proof) =>
        client.use(access, { sender: { proof: key, certificate: null, changes } });
      const privateJwk = await exportJWK(proof.privateKey);
      if (chosen.plan.alg === 'PS256') {
        const privateKey = (await importJWK(privateJwk, 'RS256')) as CryptoKey;
        for (const jwk of [proof.jwk, { ...proof.jwk, alg: 'PS256' }]) {
          assert.equal((await use({}, { ...proof, alg: 'RS256', privateKey, jwk })).status, 401);
        }
      }
      const bad: Readonly<Record<string, ProofChanges>> = {
        'no typ': { header: { typ: undefined } },
        'no jwk': { header: { jwk: undefined } },
        'no jti': { claims: { jti: undefined } },
        'no htm': { claims: { htm: undefined } },
        'no htu': { claims: { htu: undefined } },
        'no iat': { claims: { iat: undefined } },
        'no ath': { claims: { ath: undefined } },
        'another typ': { header: { typ: 'JWT' } },
        'a private key': { header: { jwk: privateJwk } },
        'another method': { claims: { htm: 'PUT' } },
        'another address': { claims: { htu: 'https://other.example.com/resource' } },
        'in an hour': { claims: { iat: from(3600)(client) } },
        'an hour ago': { claims: { iat: from(-3600)(client) } },
        'another ath': { claims: { ath: createHash('sha256').update('x').digest('base64url') } },
      };
      for (const [what, changes] of Object.entries(bad)) assert.equal((await use(changes)).status, 401, what);
      assert.equal((await use({}, other)).status, 401, 'another key');
      const used = { claims: { jti: 'the same twice' } };
      assert.deepEqual([(await use(used)).status, (await use(used)).status], [200, 401]);
      const good: Readonly<Record<string, ProofChanges>> = {
        'a query and a fragment': { claims: { htu: `${issuer}/oauth2/userinfo?a=b#c` } },
        'more members': { header: { extra: 'x' }, claims: { extra: 'y' } },
        'capital letters': { claims: { htu: `${issuer.toUpperCase()}/oauth2/userinfo` } },
      };
      for (const [what, changes] of Object.entries(good)) assert.equal((await use(changes)).status, 200, what);
      for (const dpop of [undefined, 'a.b', `${'eyJhbGciOiJub25lIn0'}.e30.`, 'a.b.c, d.e.f']) {
        assert.equal((await client.use(access, { headers: { dpop } })).status, 401, dpop);
      }
      assert.equal((await client.use(access, { scheme: 'Bearer', headers: { dpop: undefined } })).status, 401);
      assert.equal((await use({})).status, 200);
    },
  },
  'fapi2-security-profile-final-refresh-token': {
    run: async (chosen) => {
      const [client, other] = [await SuiteClient.open(chosen), await SuiteClient.open(chosen, 2)];
      const refreshed = async (one: SuiteClient) => {
        const { refresh: former, id } = await flow(one);
        // The suite takes a new key for each refresh.
        const anew = async () =>
          one.sender.proof ? { ...one.sender, proof: await newProofKey(chosen.plan.alg) } : one.sender;
        const wide = { scope: chosen.configuration.client.scope };
        const next = await one.tokens(await one.refresh(former, { sender: await anew(), form: wide }));
        assert.deepEqual([next.id.sub, next.id['auth_time']], [id.sub, id['auth_time']]);
        chosen.app.services.clock.advance(31_000);
        const sender = await anew();
        const again = await one.tokens(await one.refresh(former, { sender }));
        assertRefused(await one.refresh(again.refresh, { sender: null }), ...unheld(chosen.plan));
        one.sender = sender;
        assert.equal((await one.use(again.access)).status, 200);
        return again;
      };
      await refreshed(client);
      const { access, refresh } = await refreshed(other);
      assert.equal((await client.use(access)).status, 401);
      assertRefused(await client.refresh(refresh), 'invalid_grant');
    },
  },
  'fapi2-security-profile-final-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds': {
    run: async (chosen) => {
      const client = await SuiteClient.open(chosen);
      const address = client.addressOf(await client.push());
      const jar = new CookieJar();
      assert.equal((await chosen.app.send('GET', address, { headers: jar.header })).status, 303);
      const { code } = await client.called(await client.browse(address, jar));
      await client.tokens(await client.redeem(String(code)));
    },
  },
  'fapi2-security-profile-final-par-attempt-reuse-request_uri': {
    run: async (chosen) => {
      const client = await SuiteClient.open(chosen);
      const address = client.addressOf(await client.push());
      await client.called(await client.browse(address));
      assertPage(await client.browse(address));
    },
  },
  'fapi2-security-profile-final-par-attempt-to-use-expired-request_uri': {
    run: async (chosen) => {
      const client = await SuiteClient.open(chosen);
      const address = client.addressOf(await client.push());
      chosen.app.services.clock.advance(91_000);
      assertPage(await client.browse(address));
    },
  },
  'fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted': {
    where: 'private_key_jwt',
    run: succeeds((client) => ({ assertion: { claims: soon(client) } })),
  },
  'fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails': assertion(
    (client) => ({ claims: late(client) }),
  ),
  'fapi2-security-profile-final-par-attempt-to-use-request_uri-for-different-client': {
    run: async (chosen) => {
      const [client, other] = [await SuiteClient.open(chosen), await SuiteClient.open(chosen, 2)];
      assertPage(await other.browse(other.addressOf(await client.push())));
    },
  },
  'fapi2-security-profile-final-par-authorization-request-containing-request_uri-form-param': {
    run: refuses(
      { beside: { request_uri: 'urn:ietf:params:oauth:request_uri:bwc4JK-ESC0w8acc191e-Y1LTC2' } },
      'invalid_request',
      badObject,
      'request_uri_not_supported',
    ),
  },
  'fapi2-security-profile-final-par-attempt-invalid-http-method': {
    run: async ({ app }) => {
      assert.equal((await app.send('PUT', '/oauth2/par', { form: { client_id: 'x' } })).status, 405);
    },
  },
  'fapi2-security-profile-final-par-ensure-pkce-required': {
    run: refuses({ parameters: { code_challenge: undefined, code_challenge_method: undefined } }, 'invalid_request'),
  },
  'fapi2-security-profile-final-ensure-pkce-code-verifier-required': {
    run: keeps({ form: { code_verifier: undefined } }, 'invalid_grant'),
  },
  'fapi2-security-profile-final-incorrect-pkce-code-verifier-rejected': {
    run: keeps({ form: { code_verifier: newVerifier() } }, 'invalid_grant'),
  },
  'fapi2-security-profile-final-par-plain-pkce-rejected': {
    run: refuses({ parameters: { code_challenge: newVerifier(), code_challenge_method: 'plain' } }, 'invalid_request'),
  },
  'fapi2-security-profile-final-par-authorization-request-containing-request_uri': {
    where: 'Message Signing',
    run: refuses({ object: { request_uri: 'https://client.example.com/request.jwt' } }, badObject),
  },
  'fapi2-security-profile-final-par-without-duplicate-parameters': { run: succeeds({}) },
  'fapi2-security-profile-final-par-test-array-as-audience-fails': assertion(({ issuer }) => ({
    claims: { aud: [issuer, 'https://www.other1.example.com'] },
  })),
  'fapi2-security-profile-final-par-test-par-endpoint-url-as-audience-fails': assertion(({ issuer }) => ({
    claims: { aud: `${issuer}/oauth2/par` },
  })),
  'fapi2-security-profile-final-par-test-token-endpoint-url-as-audience-fails': assertion(({ issuer }) => ({
    claims: { aud: `${issuer}/oauth2/token` },
  })),
};

/** What the suite takes for a refresh that shows neither key nor certificate. */
function unheld(plan: FapiPlan): readonly string[] {
  return asserts(plan) ? ['invalid_request', 'invalid_grant'] : ['invalid_client', 'invalid_request'];
}

/**
 * Each plan in both response modes that it can be run with. `npm test` runs one of five, each module in one of those
 * that have it, by turns, and what all modules begin with in each; a drill runs all of them.
 */
const chosenPlans = fapiPlans(true)
  .flatMap((plan) => (plan.signs ? [true, false] : [false]).map((isJarm) => ({ plan, isJarm })))
  .filter((_, index) => isSampled(index, 5));

const always = /-(?:discovery-end-point-verification|happy-flow)$/;

function isWalked(plan: FapiPlan, name: string, module: Module): boolean {
  if (!isIn(plan, module)) return false;
  const having = chosenPlans.map((chosen) => chosen.plan).filter((one) => isIn(one, module));
  return isWhole || always.test(name) || having[Object.keys(modules).indexOf(name) % having.length] === plan;
}

describe('docs/conformance.md', () => {
  it('FAPI 2.0: its rows are the modules that are walked here', () => {
    const walked = Object.entries(modules).map(([name, { where = 'all' }]) => [name, where]);
    assert.deepEqual(rowsOf('FAPI 2.0'), walked);
  });
});

for (const database of sampledDatabases) {
  describe(`the suite's FAPI 2.0 modules on ${database}`, () => {
    let proxied: TestApp;
    let app: TestApp;
    let certified: Awaited<ReturnType<typeof certify>>;
    before(async () => {
      proxied = await openTestApp(database, { app: { trustProxy: ['loopback'] } });
      const { services } = proxied;
      certified = await certify(services, 'certify', suite, certificates);
      app = seenFrom(await requireAccount(services, 'certify'), proxied.app, services, proxied);
    });
    after(() => proxied.dispose());

    for (const { plan, isJarm } of chosenPlans) {
      const { variants } = plan;
      const title = [
        plan.title,
        variants.client_auth_type,
        variants.sender_constrain,
        isJarm ? 'jarm' : 'plain_response',
      ];
      describe(title.join(', '), () => {
        let chosen: Chosen;
        before(() => {
          const configuration = certified.configurations[plan.id] as Configuration;
          chosen = { app, plan, isJarm, configuration, user: certified.user };
        });
        for (const [name, module] of Object.entries(modules)) {
          if (isWalked(plan, name, module)) it(name, () => module.run(chosen));
        }
      });
    }
  });
}
