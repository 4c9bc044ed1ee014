import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose';
import { randomName } from './access.ts';
import { expectJson } from './http.ts';
import { indent, say, showJson } from './print.ts';
import { redeem, signInFor } from './sign-in.ts';
import { expect, Surprise } from './surprise.ts';
import { bearer, type Step } from './tour.ts';

const scope = 'orders:read';

export const linkToApi: Step = {
  title: 'Link the client to an API',
  about:
    'An API of the company gets its own access tokens: a scope of its own, a claim with the first name of the user, and ' +
    'our client among those that may ask for them.',
  run: async ({ send, recall, learn }) => {
    const headers = bearer(recall('credentialToken'));
    const resource = `https://api.example.com/orders/${randomName()}`;
    const configuration = { resource_identifier: resource, access_token_expiration_minutes: 10 };
    const made = await send('POST', '/api/2/api_authorizations', { headers, json: { name: 'Orders', configuration } });
    const { id } = expectJson<{ id: number }>(made, 200);
    const server = `/api/2/api_authorizations/${id}`;
    const added = await send('POST', `${server}/scopes`, {
      headers,
      json: { value: scope, description: 'See your orders' },
    });
    const { id: scopeId } = expectJson<{ id: number }>(added, 200);
    const claim = { name: 'first_name', user_attribute_mappings: 'firstname' };
    expectJson(await send('POST', `${server}/claims`, { headers, json: claim }), 200);
    const { app_id } = recall('client');
    const linked = await send('POST', `${server}/clients`, { headers, json: { app_id, scopes: [scopeId] } });
    expectJson(linked, 201);
    learn('api', { id, resource });
  },
};

export const signInForApi: Step = {
  title: 'Sign in for the API',
  about: 'As before, and the client names the API (RFC 8707) and the scope that it wants.',
  run: (tour) => signInFor(tour, { scope: `openid ${scope}`, resource: tour.recall('api').resource }),
};

export const validateToken: Step = {
  title: 'An access token that the API checks by itself',
  about:
    'The access token is now a JWT (RFC 9068). The API validates it with the published keys and a library, without asking ' +
    'anybody about the token.',
  run: async (tour) => {
    const { access_token } = await redeem(tour);
    const keys = expectJson<JSONWebKeySet>(await tour.send('GET', '/oauth2/jwks'), 200);
    const { resource } = tour.recall('api');
    const payload = await validate(tour.demo.issuer, access_token, keys, resource);
    say(`\n  The access token is genuine and says:\n${indent(showJson(payload))}\n`);
    expect(payload['scope'] === `openid ${scope}` || payload['scope'] === scope, 'the token has other scopes');
    expect(typeof payload['first_name'] === 'string', 'the token does not carry the claim of the API');
    await expectRefusal(validate(tour.demo.issuer, access_token, keys, 'https://api.example.com/another'));
    say('\n  Another API refuses it: it is not the audience.\n');
  },
};

async function validate(issuer: string, token: string, keys: JSONWebKeySet, audience: string) {
  const expected = { issuer, audience, typ: 'at+jwt', algorithms: ['RS256'] };
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), expected);
  return payload;
}

async function expectRefusal(validating: Promise<unknown>): Promise<void> {
  try {
    await validating;
  } catch (error) {
    if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud') return;
    throw error;
  }
  throw new Surprise('another API should have refused the token');
}
