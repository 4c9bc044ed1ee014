/** Server processes on one database, sessions on them, and refreshes at either door: what races are made of. */

import {
  freePort,
  type Installation,
  install,
  installMigrated,
  type ServeOptions,
  type Service,
} from '../support/process.ts';
import { openAccount, type RunningAccount } from '../support/running-account.ts';
import { assertFewSentAgain } from '../support/sent-again.ts';
import {
  CookieJar,
  clientAuthentication,
  type RegisteredClient,
  redeem,
  registerClient,
  signInForCode,
  type Tokens,
} from '../support/sign-in.ts';
import type { DatabaseKind } from '../support/stores.ts';
import type { Wire } from '../support/wire.ts';
import type { TokenCall } from './history.ts';

export const doors = ['/oidc/2/token', '/oauth2/token'] as const;

export type Door = (typeof doors)[number];

/** Servers of one installation, with an account that a client and a user are in. */
export interface Nodes {
  readonly installation: Installation;
  readonly services: readonly Service[];
  readonly account: RunningAccount;
  /** One way to the account through each server. */
  readonly wires: readonly [Wire, ...Wire[]];
  readonly client: RegisteredClient;
  readonly user: { readonly email: string };
  /** Refreshes that were sent (`tryRefresh`). */
  readonly refreshes: Refreshes;
  /** So many sign-ins of the user, each the start of a family of tokens. */
  startSessions(count: number): Promise<Tokens[]>;
  dispose(): Promise<void>;
}

/** How many refreshes were sent, and for each that was sent again, why. */
interface Refreshes {
  count: number;
  readonly sentAgain: string[];
}

/**
 * Two servers on PostgreSQL, one on SQLite, whose file one process serves; `env` is for all of them. The checkout that
 * they run may be another one, and the first may have several processes.
 */
export async function openNodes(
  database: DatabaseKind,
  settings: readonly string[] = [],
  count = database === 'postgres' ? 2 : 1,
  env: Readonly<Record<string, string>> = {},
  { root, ...serving }: Pick<ServeOptions, 'root' | 'processes'> = {},
): Promise<Nodes> {
  const isOwn = root === undefined && env['DATABASE_URL'] === undefined;
  const installation = await (isOwn ? installMigrated(database, env) : install(database, env, root));
  const first = await installation.serve(serving);
  const services = [first];
  while (services.length < count) services.push(await installation.serve({ port: await freePort() }));
  const account = await openAccount(first, settings);
  const client = await registerClient(account);
  const user = await account.makeUser(client.app_id);
  const jar = new CookieJar();
  return {
    installation,
    services,
    account,
    wires: [account.wire, ...services.slice(1).map((service) => account.through(service))],
    client,
    user,
    refreshes: { count: 0, sentAgain: [] },
    startSessions: async (count) => {
      const sessions: Tokens[] = [];
      while (sessions.length < count) {
        const query = await signInForCode(account, client, user, {}, jar);
        sessions.push(await redeem(account, client, query.get('code') ?? ''));
      }
      return sessions;
    },
    dispose: async () => {
      account.close();
      await installation.dispose();
    },
  };
}

/** What a call rejects with when the server dies. */
export function isBrokenConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const said = `${error.message} ${'code' in error ? error.code : ''}`;
  return /ECONN|EPIPE|socket hang up|aborted|broke off/.test(said);
}

/** Of one refresh that is answered with 503. */
const mostTries = 3;

/**
 * One refresh, of the client of the nodes through the first server unless said; a connection that breaks, as it does
 * when its server is killed, is a call without an answer. A server that is too busy says so with 503 and is asked
 * again, as part of the same call; `assertFewRefreshedAgain` judges at the end how often. Any other answer than 200,
 * 400 and 401 throws.
 */
export async function tryRefresh(
  { refreshes, ...nodes }: Pick<Nodes, 'client' | 'wires' | 'refreshes'>,
  sent: string,
  door: Door,
  { client = nodes.client, wire = nodes.wires[0] }: { readonly client?: RegisteredClient; readonly wire?: Wire } = {},
): Promise<TokenCall> {
  const { headers, form } = clientAuthentication(client);
  const calledAt = performance.now();
  const call = { client: client.client_id, sent, calledAt };
  const ask = () =>
    wire
      .send('POST', door, { headers, form: { ...form, grant_type: 'refresh_token', refresh_token: sent } })
      .catch((error: unknown) => {
        if (isBrokenConnection(error)) return null;
        throw error;
      });
  refreshes.count += 1;
  let answer = await ask();
  for (let tries = 1; answer?.status === 503 && tries < mostTries; tries += 1) {
    refreshes.sentAgain.push(`${door}: 503`);
    answer = await ask();
  }
  if (!answer) return { ...call, got: null, outcome: 'no answer', answeredAt: performance.now() };
  const { status, body, text, answeredAt } = answer;
  if (status === 200) return { ...call, got: body.refresh_token, outcome: 'success', answeredAt };
  if (status !== 400 && status !== 401) throw new Error(`${door} answered ${status}: ${text}`);
  return { ...call, got: null, outcome: 'refused', answeredAt };
}

/** Fails where more refreshes were sent again than a busy machine makes necessary; `lanes`: how many went at once. */
export function assertFewRefreshedAgain({ refreshes }: Pick<Nodes, 'refreshes'>, lanes: number): void {
  assertFewSentAgain(refreshes.sentAgain, refreshes.count, lanes);
}
