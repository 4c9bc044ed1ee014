/**
 * Clients that do all at once what the service is for, until their server dies: refreshes at both doors, registrations,
 * sign-ins, revocations. A journal keeps what was acknowledged; the server's death makes no entry untrue.
 */

import assert from 'node:assert/strict';
import { basic } from '../support/app.ts';
import {
  CookieJar,
  clientAuthentication,
  type RegisteredClient,
  redeem,
  redirectUri,
  signInForCode,
  type Tokens,
} from '../support/sign-in.ts';
import type { TokenCall } from './history.ts';
import { doors, isBrokenConnection, type Nodes, tryRefresh } from './nodes.ts';

/** That sign people in at a time. */
const browsers = 2;

/** A sign-in whose tokens the client got. */
export interface SignIn {
  readonly tokens: Pick<Tokens, 'access_token' | 'refresh_token'>;
  /** Of the browser, whose session continues. */
  readonly jar: CookieJar;
}

export interface Revocation {
  readonly signIn: SignIn;
  readonly kind: 'access_token' | 'refresh_token';
}

export interface Journal {
  /** Refreshes, and tries of them after a restart. */
  readonly history: TokenCall[];
  readonly clients: RegisteredClient[];
  /** Tokens that were not revoked. */
  readonly signIns: SignIn[];
  readonly revocations: Revocation[];
  /** Tokens of the credential that were revoked. */
  readonly revokedBearers: string[];
  /** Codes that came, and were sent to be redeemed without an answer. */
  readonly unredeemed: string[];
  /** Revocations without an answer. */
  readonly undecided: Revocation[];
}

export interface Load {
  readonly nodes: Nodes;
  readonly journal: Journal;
  /** Who signs in, by turns: the 201st session of a user ends the oldest. */
  readonly emails: readonly string[];
  /** A credential, as the command line printed it. */
  readonly pair: { readonly client_id: string; readonly client_secret: string };
  /** Who registers clients; without it anyone may. */
  readonly bearer: string;
}

export function newJournal(): Journal {
  return {
    history: [],
    clients: [],
    signIns: [],
    revocations: [],
    revokedBearers: [],
    unredeemed: [],
    undecided: [],
  };
}

/** So many entries of each kind. */
export function countAcknowledged({ history, clients, signIns, revocations, revokedBearers }: Journal) {
  return {
    refreshes: history.filter(({ outcome }) => outcome === 'success').length,
    registrations: clients.length,
    'sign-ins': signIns.length + revocations.length,
    revocations: revocations.length + revokedBearers.length,
  };
}

/** Starts all of it on these refresh tokens; settles when the server is dead, with the tokens each chain is at. */
export async function runMixedLoad(load: Load, tokens: readonly string[]): Promise<string[]> {
  const chains = Promise.all(tokens.map((token) => refreshUntilBroken(load, token)));
  await Promise.all([
    untilBroken((turn) => register(load, turn)),
    ...Array.from({ length: browsers }, () => untilBroken(() => signIn(load))),
    untilBroken((turn) => revoke(load, turn)),
  ]);
  return chains;
}

/** Does one thing after the other; counts nothing of the one that the server's death cut off. */
async function untilBroken(work: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    try {
      await work(turn);
    } catch (error) {
      if (isBrokenConnection(error)) return;
      throw error;
    }
  }
}

async function refreshUntilBroken({ nodes, journal }: Load, first: string): Promise<string> {
  let token = first;
  for (let turn = 0; ; turn += 1) {
    const made = await tryRefresh(nodes, token, doors[turn % 2] ?? doors[0]);
    journal.history.push(made);
    if (made.outcome !== 'success') return token;
    token = made.got ?? '';
  }
}

async function register({ nodes, journal, bearer }: Load, turn: number): Promise<void> {
  const [path = '', authorized] = [
    ['/oidc/2/register', true],
    ['/oauth2/register', true],
    ['/oauth2/register', false],
  ][turn % 3] as [string, boolean];
  const headers: Record<string, string> = authorized ? { authorization: `Bearer ${bearer}` } : {};
  const json = { client_name: `App ${turn}`, redirect_uris: [redirectUri] };
  const answer = await nodes.wires[0].send('POST', path, { headers, json });
  assert.ok(answer.status === 200 || answer.status === 201, `${path} answered ${answer.status}: ${answer.text}`);
  journal.clients.push(answer.body);
}

async function signIn({ nodes: { account, client }, journal, emails }: Load): Promise<void> {
  const { signIns, revocations, unredeemed } = journal;
  const email = emails[(signIns.length + revocations.length + unredeemed.length) % emails.length] ?? '';
  const jar = new CookieJar();
  const code = (await signInForCode(account, client, { email }, {}, jar)).get('code') ?? '';
  try {
    journal.signIns.push({ tokens: await redeem(account, client, code), jar });
  } catch (error) {
    journal.unredeemed.push(code);
    throw error;
  }
}

/** Revokes a token of the credential, or one of a sign-in: of these a third in all, so that some are left. */
async function revoke(load: Load, turn: number): Promise<void> {
  const { journal, nodes } = load;
  if (turn % 2 === 0 || journal.signIns.length <= 2 * journal.revocations.length) return revokeBearer(load);
  const signIn = journal.signIns.shift() as SignIn; // There is one.
  const revocation = { signIn, kind: turn % 4 === 1 ? 'refresh_token' : 'access_token' } as const;
  const { headers, form } = clientAuthentication(nodes.client);
  const token = signIn.tokens[revocation.kind];
  try {
    const answer = await nodes.account.send('POST', '/oauth2/revoke', { headers, form: { ...form, token } });
    assert.equal(answer.status, 200, answer.text);
    journal.revocations.push(revocation);
  } catch (error) {
    journal.undecided.push(revocation);
    throw error;
  }
}

async function revokeBearer({ nodes: { account }, journal, pair }: Load): Promise<void> {
  const headers = basic(pair.client_id, pair.client_secret);
  const form = { grant_type: 'client_credentials' };
  const { body } = await account.send('POST', '/auth/oauth2/v2/token', { headers, form });
  const json = { access_token: body.access_token };
  const answer = await account.send('POST', '/auth/oauth2/revoke', { headers, json });
  assert.equal(answer.status, 200, answer.text);
  journal.revokedBearers.push(body.access_token);
}
