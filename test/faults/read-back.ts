/** Asks the service for everything that a journal says was acknowledged. */

import {
  authorizePath,
  clientAuthentication,
  codeVerifier,
  type RegisteredClient,
  redirectUri,
  walk,
} from '../support/sign-in.ts';
import type { Load, Revocation, SignIn } from './mixed-load.ts';
import { doors, tryRefresh } from './nodes.ts';

const atOnce = 16;

/** What is not as it was acknowledged, one sentence each. */
export interface ReadBack {
  readonly lost: string[];
  readonly halfApplied: string[];
}

/**
 * Reads back every entry that is not among those seen, which it then is; what nobody was told of is looked at once.
 */
export async function readBack(load: Load, seen: Set<unknown>): Promise<ReadBack> {
  const lost: string[] = [];
  const halfApplied: string[] = [];
  async function told<Entry>(entries: readonly Entry[], what: string, isKept: (load: Load, entry: Entry) => unknown) {
    await each(entries, async (entry) => {
      if (!seen.has(entry) && !(await isKept(load, entry))) lost.push(what);
      seen.add(entry);
    });
  }
  const { clients, signIns, revocations, revokedBearers, unredeemed, undecided } = load.journal;
  await told(clients, 'a client', isUsable);
  await told(signIns, 'a sign-in', isSignedIn);
  await told(revocations, 'a revocation', isRevoked);
  await told(revokedBearers, "a revocation of a credential's token", isRefused);
  await told(unredeemed.splice(0), 'a code', isRedeemable);
  await each(undecided.splice(0), async (revocation) => {
    if (!(await isWhole(load, revocation))) halfApplied.push(`a revocation of the ${revocation.kind}`);
  });
  return { lost, halfApplied };
}

async function each<Item>(items: readonly Item[], look: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of left) await look(item);
    }),
  );
}

/** Sends the last token of each chain again; answers where each is then. The history says what was wrong. */
export async function retryChains({ nodes, journal }: Load, tokens: readonly string[]): Promise<string[]> {
  return Promise.all(
    tokens.map(async (token, index) => {
      const made = await tryRefresh(nodes, token, doors[index % 2] ?? doors[0]);
      journal.history.push(made);
      return made.got ?? token;
    }),
  );
}

async function introspect({ nodes }: Load, client: RegisteredClient, token: string): Promise<boolean | null> {
  const { headers, form } = clientAuthentication(client);
  const answer = await nodes.wires[0].send('POST', '/oauth2/introspect', { headers, form: { ...form, token } });
  return answer.status === 200 ? answer.body.active : null;
}

/** Its credentials open what only a client may ask. */
async function isUsable(load: Load, client: RegisteredClient): Promise<boolean> {
  return (await introspect(load, client, 'no token')) === false;
}

async function isSignedIn(load: Load, { tokens, jar }: SignIn): Promise<boolean> {
  const { client, wires } = load.nodes;
  const bearer = { authorization: `Bearer ${tokens.access_token}` };
  const userinfo = await wires[0].send('GET', '/oauth2/userinfo', { headers: bearer });
  // The session was acknowledged with the sign-in: another one asks for nothing.
  const { answer } = await walk(load.nodes.account, jar, authorizePath(client, { prompt: 'none' }));
  const silent = /[?&]code=/.test(String(answer.headers['location']));
  return userinfo.status === 200 && silent && (await introspect(load, client, tokens.refresh_token)) === true;
}

async function isRevoked(load: Load, { signIn: { tokens }, kind }: Revocation): Promise<boolean> {
  const { client } = load.nodes;
  const access = await introspect(load, client, tokens.access_token);
  const refresh = await introspect(load, client, tokens.refresh_token);
  return access === false && refresh === (kind === 'access_token');
}

/** Either nothing happened or everything: the access token lives as long as the grant does. */
async function isWhole(load: Load, revocation: Revocation): Promise<boolean> {
  const { client } = load.nodes;
  const { access_token, refresh_token } = revocation.signIn.tokens;
  const untouched =
    (await introspect(load, client, access_token)) === true && (await introspect(load, client, refresh_token)) === true;
  return untouched || isRevoked(load, revocation);
}

async function isRefused({ nodes }: Load, bearer: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${bearer}` };
  return (await nodes.wires[0].send('GET', '/auth/rate_limit', { headers })).status === 401;
}

/** The code gives tokens, or was used up by the call that was cut off. */
async function isRedeemable({ nodes: { client, wires } }: Load, code: string): Promise<boolean> {
  const { headers, form } = clientAuthentication(client);
  const given = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier };
  const answer = await wires[0].send('POST', '/oauth2/token', { headers, form: { ...form, ...given } });
  return answer.status === 200 || answer.body.error === 'invalid_grant';
}
