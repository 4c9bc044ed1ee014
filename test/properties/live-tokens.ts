/** Live values of the operations that give, take and look at tokens. */

import { basic } from '../support/app.ts';
import { codeVerifier, password, type RegisteredClient, redirectUri, refresh } from '../support/sign-in.ts';
import type { Scheme } from './operations.ts';
import type { ClientKind, Pool } from './pool.ts';
import type { Plan } from './requests.ts';
import type { Live, Taken } from './taken.ts';

/** Shows an id and a secret in the way of the scheme: Basic, the older header, or members of the body. */
export function showPair(scheme: Scheme | null, id: string, secret: string, members: Live['body']): Live {
  if (scheme === null) return { body: { client_id: id, client_secret: secret, ...members } };
  const older = `client_id:${id}, client_secret:${secret}`;
  const headers = scheme.name === 'credentialHeader' ? { authorization: older } : basic(id, secret);
  return { headers, body: { client_id: undefined, client_secret: undefined, ...members } };
}

export function showClient(scheme: Scheme | null, client: RegisteredClient, members: Live['body']): Live {
  const { client_id: id, client_secret: secret } = client;
  if (secret !== undefined) return showPair(scheme, id, secret, members);
  return { body: { client_id: id, client_secret: undefined, ...members } };
}

/** A kind of client that may show itself in the way of the plan's scheme. */
export function clientKind({ scheme, pick }: Plan): ClientKind {
  const kinds = scheme
    ? (['client_secret_basic', 'unnamed'] as const)
    : (['client_secret_post', 'none', 'unnamed'] as const);
  return kinds[pick % kinds.length] ?? 'unnamed';
}

/** What the grant that the plan asks for needs. */
export async function byGrantType(pool: Pool, plan: Plan): Promise<Taken> {
  const kind = clientKind(plan);
  switch (plan.body?.['grant_type']) {
    case 'authorization_code':
      return redeemed(pool, plan);
    case 'refresh_token':
      return refreshed(pool, plan);
    case 'password':
      return byPassword(pool, plan);
    case 'client_credentials': {
      // RFC 6749 §4.4: for confidential clients only.
      const client = await pool.client(kind === 'none' ? 'client_secret_post' : kind);
      return { live: showClient(plan.scheme, client, { grant_type: 'client_credentials', scope: undefined }) };
    }
    default:
      return { live: showClient(plan.scheme, await pool.client(kind), {}) };
  }
}

async function redeemed(pool: Pool, plan: Plan): Promise<Taken> {
  const kind = clientKind(plan);
  const grant = await pool.grant(kind);
  const members = {
    grant_type: 'authorization_code',
    code: await pool.code(grant),
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  };
  const live = showClient(plan.scheme, grant.client, members);
  return { live, expires: true, user: grant.user, settle: () => pool.giveBack(kind, grant) };
}

async function byPassword(pool: Pool, plan: Plan): Promise<Taken> {
  const kind = clientKind(plan);
  const grant = await pool.grant(kind);
  const members = { grant_type: 'password', username: grant.user.email ?? '', password };
  const live = showClient(plan.scheme, grant.client, members);
  const settle: Taken['settle'] = ({ body }) => {
    // A wrong password was counted against the user.
    if (body?.error !== 'invalid_grant') pool.giveBack(kind, grant);
  };
  return { live, user: grant.user, settle };
}

export async function refreshed(pool: Pool, plan: Plan): Promise<Taken> {
  const kind = clientKind(plan);
  const grant = await pool.grant(kind);
  const members = { grant_type: 'refresh_token', refresh_token: grant.tokens.refresh_token };
  const settle: Taken['settle'] = ({ status, body }) => {
    if (status === 200) grant.tokens = { ...grant.tokens, ...body };
    pool.giveBack(kind, grant);
  };
  return { live: showClient(plan.scheme, grant.client, members), expires: true, user: grant.user, settle };
}

/** A refresh token, which ends its grant, or an access token; mostly one that is revoked already, which is as good. */
export async function revocation(pool: Pool, plan: Plan): Promise<Taken> {
  const kind = clientKind(plan);
  const grant = await pool.grant(kind);
  const whole = plan.pick % 8 === 0;
  if (plan.pick % 4 === 0 || grant.revoked === undefined) {
    const fresh = await refresh(pool.app, grant.client, grant.tokens.refresh_token);
    grant.tokens = { ...grant.tokens, refresh_token: fresh.body.refresh_token };
    grant.revoked = fresh.body.access_token;
  }
  const live = showClient(plan.scheme, grant.client, { token: whole ? grant.tokens.refresh_token : grant.revoked });
  const settle: Taken['settle'] = ({ status }) => {
    if (!whole || status !== 200) pool.giveBack(kind, grant);
  };
  return { live, loose: ['token'], settle };
}

/** A user's access token: in the header, or in the form. */
export async function userinfo(pool: Pool, { scheme, pick }: Plan): Promise<Taken> {
  const kind: ClientKind = pick % 2 ? 'client_secret_basic' : 'none';
  const grant = await pool.grant(kind);
  const { access_token: token } = grant.tokens;
  const live = scheme
    ? { headers: { authorization: `Bearer ${token}` }, body: { access_token: undefined } }
    : { body: { access_token: token } };
  const taken = { live, expires: true, user: grant.user, settle: () => pool.giveBack(kind, grant) };
  return scheme ? { ...taken, narrow: `Bearer ${await pool.clientToken()}` } : taken;
}
