/** The load while the disk fills up and has space again: writes of every kind, and reads. */

import { setTimeout as delay } from 'node:timers/promises';
import type { RunningAccount } from '../support/running-account.ts';
import {
  authorizePath,
  clientAuthentication,
  type RegisteredClient,
  redirectUri,
  type Tokens,
} from '../support/sign-in.ts';

export type Phase = 'space' | 'full' | 'space again';

/** How often each status came. */
export type Statuses = Record<string, number>;

export interface Load {
  phase: Phase;
  readonly writes: Readonly<Record<Phase, Statuses>>;
  readonly reads: Readonly<Record<Phase, Statuses>>;
  /** 503 without `Retry-After`, connections that broke, tokens that were said to be inactive. */
  readonly wrong: string[];
  /** Milliseconds of `performance.now()` when each kind of write was answered well last. */
  readonly wroteAt: Map<string, number>;
  /** Client ids whose registration was answered, with what proves it. */
  readonly registered: RegisteredClient[];
  /** The newest refresh token of each session that was handed out. */
  readonly sessions: string[];
  /** Settles when every caller has stopped; rejects with what a caller met. */
  stop(): Promise<void>;
}

interface Parts {
  readonly account: RunningAccount;
  readonly client: RegisteredClient;
  readonly sessions: readonly Tokens[];
  /** May register clients. */
  readonly bearer: string;
}

const kinds = ['refresh', 'register', 'client credentials', 'authorize'] as const;

/** A caller for each session, one for each other kind of write, and one that reads. */
export function startLoad({ account, client, sessions, bearer }: Parts): Load {
  const empty = () => ({ space: {}, full: {}, 'space again': {} });
  const tokens = sessions.map(({ refresh_token }) => refresh_token);
  let running = true;
  const load: Load = {
    phase: 'space',
    writes: empty(),
    reads: empty(),
    wrong: [],
    wroteAt: new Map(),
    registered: [],
    sessions: tokens,
    stop: async () => {
      running = false;
      await Promise.all(callers);
    },
  };
  const { headers, form } = clientAuthentication(client);

  /** Sends once, counts the answer, and answers it when it is a success. */
  async function ask(counted: Load['writes'], ...[method, path, sent]: Parameters<RunningAccount['send']>) {
    const { phase } = load;
    const answer = await account.send(method, path, sent).catch((error: Error) => error);
    const status = answer instanceof Error ? 'no answer' : String(answer.status);
    counted[phase][status] = (counted[phase][status] ?? 0) + 1;
    if (answer instanceof Error) load.wrong.push(`${method} ${path}: ${answer.message}`);
    else if (answer.status >= 500 && !answer.headers['retry-after']) load.wrong.push(`${path}: ${answer.text}`);
    else if (answer.status < 400) return answer;
    await delay(5);
    return null;
  }

  async function write(kind: (typeof kinds)[number], ...sent: Parameters<RunningAccount['send']>) {
    const answer = await ask(load.writes, ...sent);
    if (answer) load.wroteAt.set(kind, performance.now());
    return answer;
  }

  async function again(work: () => Promise<void>): Promise<void> {
    while (running) await work();
  }

  const callers = [
    ...tokens.map((_, index) =>
      again(async () => {
        const refresh = { ...form, grant_type: 'refresh_token', refresh_token: tokens[index] ?? '' };
        const answer = await write('refresh', 'POST', '/oauth2/token', { headers, form: refresh });
        if (answer) tokens[index] = answer.body.refresh_token;
      }),
    ),
    again(async () => {
      const json = { client_name: 'x'.repeat(64), redirect_uris: [redirectUri] };
      const sent = { headers: { authorization: `Bearer ${bearer}` }, json };
      const answer = await write('register', 'POST', '/oauth2/register', sent);
      if (answer) load.registered.push(answer.body);
    }),
    again(async () => {
      const sent = { headers, form: { ...form, grant_type: 'client_credentials' } };
      await write('client credentials', 'POST', '/oauth2/token', sent);
    }),
    again(async () => void (await write('authorize', 'GET', authorizePath(client)))),
    again(async () => {
      const token = sessions[0]?.access_token ?? '';
      const sent = { headers, form: { ...form, token } };
      const seen = await ask(load.reads, 'POST', '/oauth2/introspect', sent);
      if (seen && seen.body.active !== true) load.wrong.push('introspection: a live token is not active');
      await ask(load.reads, 'GET', '/oauth2/userinfo', { headers: { authorization: `Bearer ${token}` } });
      await ask(load.reads, 'GET', '/oauth2/jwks');
      await ask(load.reads, 'GET', '/.well-known/openid-configuration');
    }),
  ];
  return load;
}

/** When every kind of write was answered well after `from`; rejects after a minute. */
export async function everyWriteSince(load: Load, from: number): Promise<number> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const times = kinds.map((kind) => load.wroteAt.get(kind) ?? 0);
    if (times.every((time) => time > from)) return performance.now();
    if (performance.now() > deadline) throw new Error('not every kind of write is answered again after a minute');
    await delay(5);
  }
}
