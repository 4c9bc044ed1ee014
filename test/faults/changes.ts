/** What an operator changes from the command line while servers run, and by which answers callers notice. */

import { setImmediate as turn } from 'node:timers/promises';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { digestOf } from '../../src/domain/secrets.ts';
import type { Store } from '../../src/store/store.ts';
import { clientAuthentication, type Tokens } from '../support/sign-in.ts';
import type { TimedAnswer, Wire } from '../support/wire.ts';
import { type Door, doors, type Nodes } from './nodes.ts';

/** A server, or where no surface asks yet the store as a server sees it. */
export interface Node {
  readonly wire: Wire;
  readonly store: Store;
}

/** A sign-in whose tokens one caller keeps. */
export interface Session {
  tokens: Tokens;
  /** Of the sign-in itself. */
  readonly firstIdToken: string;
}

/** One call, and what it says before and after the change. */
export interface Probe {
  ask(node: Node, session: Session): Promise<string>;
  readonly former: string;
  /** `printed` is what the command answered. */
  readonly current: string | ((printed: Printed) => string);
}

// biome-ignore lint/suspicious/noExplicitAny: each command has an answer of its own
export type Printed = any;

export interface Change {
  readonly title: string;
  readonly command: readonly string[];
  readonly probes: readonly Probe[];
}

/** Status and error code; at the documented door the words are what tells errors apart. */
function summarize({ status, body }: TimedAnswer): string {
  if (status < 400) return 'done';
  return `${status} ${body?.error === 'invalid_request' ? body.error_description : (body?.error ?? body?.status?.type)}`;
}

function register(path: string, bearer: string, former: string, current: string): Probe {
  const headers = { authorization: `Bearer ${bearer}` };
  const json = { client_name: 'Test App', redirect_uris: ['https://app.example.com/callback'] };
  return { ask: async ({ wire }) => summarize(await wire.send('POST', path, { headers, json })), former, current };
}

/** Refreshes; the successor is the session's next token. `seen`: what of an answer with tokens counts. */
function refresher({ client }: Nodes, door: Door, seen: (tokens: Tokens) => string = () => 'done'): Probe['ask'] {
  const { headers, form } = clientAuthentication(client);
  return async ({ wire }, session) => {
    const refreshToken = session.tokens.refresh_token;
    const sent = { headers, form: { ...form, grant_type: 'refresh_token', refresh_token: refreshToken } };
    const answer = await wire.send('POST', door, sent);
    if (answer.status !== 200) return summarize(answer);
    session.tokens = answer.body;
    return seen(answer.body);
  };
}

function introspector({ client }: Nodes, name: 'access_token' | 'refresh_token'): Probe['ask'] {
  const { headers, form } = clientAuthentication(client);
  return async ({ wire }, { tokens }) => {
    const answer = await wire.send('POST', '/oauth2/introspect', { headers, form: { ...form, token: tokens[name] } });
    return answer.body.active ? 'active' : 'inactive';
  };
}

async function askUserinfo({ wire }: Node, { tokens }: Session): Promise<string> {
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  return summarize(await wire.send('GET', '/oauth2/userinfo', { headers }));
}

/**
 * All that a user's tokens open; `refreshing`: the refresh tokens alone. `refused`: what the documented door says when
 * they open nothing.
 */
function ofUser(nodes: Nodes, refused: string, turn: 'off' | 'on', refreshing = false): Probe[] {
  const answers = (asks: Probe['ask'], open: string, shut: string): Probe =>
    turn === 'off' ? { ask: asks, former: open, current: shut } : { ask: asks, former: shut, current: open };
  const ofRefreshTokens = [
    answers(refresher(nodes, doors[0]), 'done', `401 ${refused}`),
    answers(refresher(nodes, doors[1]), 'done', '400 invalid_grant'),
    answers(introspector(nodes, 'refresh_token'), 'active', 'inactive'),
  ];
  if (refreshing) return ofRefreshTokens;
  return [
    ...ofRefreshTokens,
    answers(askUserinfo, 'done', '401 invalid_token'),
    answers(introspector(nodes, 'access_token'), 'active', 'inactive'),
  ];
}

function keyIdOf({ id_token }: Tokens): string {
  return JSON.parse(Buffer.from(id_token.split('.', 1)[0] ?? '', 'base64url').toString()).kid;
}

/**
 * The published keys, and whether what was signed at the sign-in can be verified with them. An RSA key is published
 * once more, for PS256, by a name that only its key set has.
 */
async function askKeys({ wire }: Node, { firstIdToken }: Session): Promise<string> {
  const { body } = await wire.send('GET', '/oauth2/jwks');
  const verified = await jwtVerify(firstIdToken, createLocalJWKSet(body)).then(
    () => 'verifies',
    () => 'fails',
  );
  const names = body.keys.filter(({ alg }: Key) => alg !== 'PS256').map(({ kid }: Key) => kid);
  return `${names.join(' ')} ${verified}`;
}

interface Key {
  readonly kid: string;
  readonly alg: string;
  readonly state: string;
}

function rotation(nodes: Nodes, before: readonly Key[]): Probe[] {
  const signing = (keys: readonly Key[]) => keys.filter(({ state }) => state === 'signing');
  const published = (keys: readonly Key[]) =>
    signing(keys)
      .map(({ kid }) => kid)
      .join(' ');
  const used = (keys: readonly Key[]) => signing(keys).find(({ alg }) => alg === 'RS256')?.kid ?? '';
  return [
    ...doors.map((door) => ({
      ask: refresher(nodes, door, keyIdOf),
      former: used(before),
      current: (printed: Printed) => used(printed.keys),
    })),
    { ask: askKeys, former: `${published(before)} verifies`, current: ({ keys }) => `${published(keys)} fails` },
  ];
}

/** The changes, in an order in which each finds what it needs. The sessions are of the user of `nodes`. */
export async function planChanges(nodes: Nodes): Promise<Change[]> {
  const { installation, account, client, user } = nodes;
  const { email } = user;
  const own = ['--account', account.subdomain];
  const pair = await installation.cli('credential', 'create', ...own, '--scope', 'register_clients');
  const form = { grant_type: 'client_credentials', client_id: pair.client_id, client_secret: pair.client_secret };
  const askPair: Probe['ask'] = async ({ wire }) =>
    summarize(await wire.send('POST', '/auth/oauth2/v2/token', { form }));
  const bearer = (await account.send('POST', '/auth/oauth2/v2/token', { form })).body.access_token;
  const apiKey = await installation.cli('api-key', 'create', ...own);
  const askApiKey: Probe['ask'] = async ({ store }) => {
    // Other than a server, SQLite answers without a turn of the event loop.
    await turn();
    return (await store.callers.findApiKey(digestOf(apiKey.api_key)))?.revokedAt === null ? 'in force' : 'revoked';
  };
  const registers = (documented: string, standard: string): Probe[] => [
    register('/oidc/2/register', bearer, 'done', documented),
    register('/oauth2/register', bearer, 'done', standard),
  ];
  const locked = 'Access is unauthorized: user is locked';
  const suspended = 'Access is unauthorized: user is suspended';
  const setUser = (status: string, refused: string, turn: 'off' | 'on'): Change => ({
    title: `user set status=${status}${turn === 'on' ? `, after ${refused.split(' ').at(-1)}` : ''}`,
    command: ['user', 'set', ...own, '--email', email, `status=${status}`],
    // A suspension ends access tokens for good.
    probes: ofUser(nodes, refused, turn, turn === 'on' && refused === suspended),
  });
  return [
    {
      title: 'account set registration=closed',
      command: ['account', 'set', account.subdomain, 'registration=closed'],
      probes: registers('401 UnauthorizedError', '403 access_denied'),
    },
    {
      title: 'account set registration=',
      command: ['account', 'set', account.subdomain, 'registration='],
      probes: registers('401 UnauthorizedError', '403 access_denied').map((probe) => ({
        ...probe,
        former: String(probe.current),
        current: probe.former,
      })),
    },
    {
      title: 'credential revoke',
      command: ['credential', 'revoke', ...own, pair.client_id, '--yes'],
      probes: [
        ...registers('401 UnauthorizedError', '401 invalid_token'),
        { ask: askPair, former: 'done', current: '401 Unauthorized' },
      ],
    },
    {
      title: 'api-key revoke, in the store as no surface takes keys yet',
      command: ['api-key', 'revoke', ...own, String(apiKey.id), '--yes'],
      probes: [{ ask: askApiKey, former: 'in force', current: 'revoked' }],
    },
    {
      title: 'keys rotate --emergency',
      command: ['keys', 'rotate', ...own, '--emergency', '--yes'],
      probes: rotation(nodes, await installation.cli('keys', 'list', ...own)),
    },
    setUser('locked', locked, 'off'),
    setUser('active', locked, 'on'),
    setUser('suspended', suspended, 'off'),
    setUser('active', suspended, 'on'),
    {
      title: 'access revoke',
      command: ['access', 'revoke', ...own, '--app', String(client.app_id), '--user', email],
      probes: ofUser(nodes, 'Access is unauthorized', 'off'),
    },
  ];
}
