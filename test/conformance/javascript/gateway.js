/**
 * An API gateway: access tokens checked by signature alone (express-oauth2-jwt-bearer; jwks-rsa with jsonwebtoken), and
 * by introspection (RFC 7662), which also knows what was revoked and what is opaque.
 */

import assert from 'node:assert/strict';
import express from 'express';
import { auth, requiredScopes } from 'express-oauth2-jwt-bearer';
import jwt from 'jsonwebtoken';
import { JwksClient } from 'jwks-rsa';
import { discover, issuer, json, register, said, serve } from './user.js';

const token = process.env['GATEHOUSE_TOKEN'];
const resource = 'https://api.example.com/orders';
const server = await discover();

const api = await json(`${issuer}/api/2/api_authorizations`, {
  token,
  body: { name: 'Orders', configuration: { resource_identifier: resource } },
});
const scope = await json(`${issuer}/api/2/api_authorizations/${api.id}/scopes`, {
  token,
  body: { value: 'orders:read' },
});
const client = await register({ client_name: 'A caller', grant_types: ['client_credentials'] }, token);
const link = { app_id: client.app_id, scopes: [scope.id] };
await json(`${issuer}/api/2/api_authorizations/${api.id}/clients`, { token, body: link });

const basic = `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`;
const form = async (url, fields) => {
  const body = new URLSearchParams(fields);
  const answer = await fetch(url, { method: 'POST', headers: { authorization: basic }, body });
  assert.equal(answer.status, 200, `${url}: ${answer.status}`);
  return answer;
};
const asked = await form(server.token_endpoint, { grant_type: 'client_credentials', resource });
const { access_token } = await asked.json();

const site = await serve();
const app = express();
const orders = (_request, response) => response.json('orders');
app.get('/orders', auth({ issuerBaseURL: issuer, audience: resource }), requiredScopes('orders:read'), orders);
app.get('/invoices', auth({ issuerBaseURL: issuer, audience: resource }), requiredScopes('invoices:read'), orders);
app.get('/other', auth({ issuerBaseURL: issuer, audience: 'https://api.example.com/other' }), orders);
app.use((error, _request, response, _next) => response.status(error.status ?? 500).json(error.code));
site.handle = app;
const call = async (path, bearer) =>
  (await fetch(`${site.origin}${path}`, { headers: { authorization: `Bearer ${bearer}` } })).status;
assert.equal(await call('/orders', access_token), 200);
assert.equal(await call('/invoices', access_token), 403);
assert.equal(await call('/other', access_token), 401);
assert.equal(await call('/orders', `${access_token.slice(0, -8)}AAAAAAAA`), 401);
said('express-oauth2-jwt-bearer: takes the token for its audience and scope, and no other');

const keys = new JwksClient({ jwksUri: server.jwks_uri, cache: true, rateLimit: true });
const { header } = jwt.decode(access_token, { complete: true });
const key = (await keys.getSigningKey(header.kid)).getPublicKey();
const claims = jwt.verify(access_token, key, { issuer, audience: resource, algorithms: ['RS256'] });
assert.equal(claims.scope, 'orders:read');
said('jwks-rsa and jsonwebtoken: find the key and verify');

const introspect = async () => (await form(server.introspection_endpoint, { token: access_token })).json();
assert.equal((await introspect()).active, true);
await form(server.revocation_endpoint, { token: access_token });
assert.deepEqual(await introspect(), { active: false });
said('introspection: active, and inactive once revoked');
site.close();
