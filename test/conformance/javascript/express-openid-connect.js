/** A web application behind express-openid-connect: sign-in, userinfo, refresh, sign-out at both ends. */

import assert from 'node:assert/strict';
import express from 'express';
import oidc from 'express-openid-connect';
import { email, issuer, register, said, serve, User } from './user.js';

const site = await serve();
const client = await register({
  client_name: 'express-openid-connect',
  redirect_uris: [`${site.origin}/callback`],
  post_logout_redirect_uris: [site.origin],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'client_secret_basic',
});

const app = express();
app.use(
  oidc.auth({
    issuerBaseURL: issuer,
    baseURL: site.origin,
    clientID: client.client_id,
    clientSecret: client.client_secret,
    secret: 'a long random text that signs the cookie',
    idpLogout: true,
    authRequired: false,
    authorizationParams: { response_type: 'code', scope: 'openid profile email' },
  }),
);
app.get('/', (_request, response) => response.send('home'));
app.get('/me', oidc.requiresAuth(), async (request, response) => {
  const before = request.oidc.refreshToken;
  await request.oidc.accessToken.refresh();
  await request.oidc.accessToken.refresh();
  const userinfo = await request.oidc.fetchUserInfo();
  response.json({ user: request.oidc.user, userinfo, rotated: before !== request.oidc.refreshToken });
});
app.get('/state', (request, response) => response.json(request.oidc.isAuthenticated()));
site.handle = app;

const user = new User();
const me = JSON.parse((await user.visit(`${site.origin}/me`, site.origin)).text);
assert.equal(me.user.email, email);
assert.equal(me.userinfo.sub, me.user.sub);
assert.equal(me.rotated, true);
said('signed in, userinfo, refreshed twice');
assert.equal((await user.visit(`${site.origin}/logout`, site.origin)).text, 'home');
assert.equal((await user.visit(`${site.origin}/state`, site.origin)).text, 'false');
said('signed out by RP-initiated logout');
site.close();
