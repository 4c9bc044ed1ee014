/** A web application behind Passport with passport-openidconnect, which knows neither discovery nor PKCE. */

import assert from 'node:assert/strict';
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import OpenIDConnectStrategy from 'passport-openidconnect';
import { discover, email, register, said, serve, User } from './user.js';

const site = await serve();
const server = await discover();
const client = await register({
  client_name: 'passport-openidconnect',
  redirect_uris: [`${site.origin}/callback`],
  post_logout_redirect_uris: [`${site.origin}/`],
  grant_types: ['authorization_code', 'refresh_token'],
});

passport.use(
  new OpenIDConnectStrategy(
    {
      issuer: server.issuer,
      authorizationURL: server.authorization_endpoint,
      tokenURL: server.token_endpoint,
      userInfoURL: server.userinfo_endpoint,
      clientID: client.client_id,
      clientSecret: client.client_secret,
      callbackURL: `${site.origin}/callback`,
      scope: 'profile email',
    },
    (_issuer, uiProfile, _idProfile, _context, idToken, _access, _refresh, _params, done) =>
      done(null, { ...uiProfile, idToken }),
  ),
);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const app = express();
app.use(session({ secret: 'a long random text', resave: false, saveUninitialized: false }));
app.use(passport.session());
app.get('/', (request, response) => response.json(request.user ?? null));
app.get('/login', passport.authenticate('openidconnect'));
app.get('/callback', passport.authenticate('openidconnect', { successRedirect: '/', failureRedirect: '/failed' }));
app.get('/logout', (request, response, next) => {
  const end = new URL(server.end_session_endpoint);
  end.search = new URLSearchParams({
    id_token_hint: request.user.idToken,
    post_logout_redirect_uri: `${site.origin}/`,
  }).toString();
  request.logout((error) => (error ? next(error) : response.redirect(end.href)));
});
site.handle = app;

const user = new User();
const me = JSON.parse((await user.visit(`${site.origin}/login`, site.origin)).text);
assert.equal(me.emails[0].value, email);
said('signed in, with the profile of userinfo');
assert.equal((await user.visit(`${site.origin}/logout`, site.origin)).text, 'null');
said('signed out by RP-initiated logout');
site.close();
