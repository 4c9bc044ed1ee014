/** The peers as running servers, each a separate process with its own folder. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PeerReady } from './peer.ts';
import type { RequestKind, Target } from './target.ts';

/** A server that answers some kinds of requests. */
export interface Server {
  /** In words for the table. */
  readonly label: string;
  readonly pids: readonly number[];
  readonly targets: Partial<Readonly<Record<RequestKind, Target>>>;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Remembers a child until it ends, so that it never outlives the bench. */
export function keepWatch(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

export function basicAuthorization(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

interface PeerOptions {
  /** Flags of node. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What else uses CPU time for it: the database server. */
  readonly pids?: readonly number[];
}

async function startPeer(
  name: string,
  label: string,
  file: string,
  args: readonly string[],
  folder: string,
  { flags = [], env = {}, pids: others = [] }: PeerOptions = {},
): Promise<Server> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    cwd: folder,
    execArgv: [...process.execArgv, ...flags],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
    // What it says on its output is advice to developers.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  keepWatch(child);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with exit code ${code}`);
  });
  ended.catch(() => {});
  const [ready] = (await Promise.race([once(child, 'message'), ended])) as [PeerReady];
  const pids = [child.pid ?? 0, ...others];
  const target = (
    kind: RequestKind,
    path: string,
    authorization: string | null,
    tokens: readonly string[] = [],
  ): Target => {
    return { name: `${name} ${kind}`, kind, ports: [ready.port], host: 'localhost', path, authorization, tokens, pids };
  };
  const basic = basicAuthorization(ready.clientId, ready.clientSecret);
  const told = Object.entries(ready.targets ?? {}).map(([kind, { path, authorization = '', tokens, ...more }]) => {
    return [kind, { ...target(kind as RequestKind, path, authorization, tokens), ...more }];
  });
  return {
    label: `${label} (${ready.storage})`,
    pids,
    targets: {
      refresh: target('refresh', '/token', basic, ready.refreshTokens),
      ...(ready.accessTokens
        ? {
            'client-credentials': target('client-credentials', '/client-credentials', basic),
            registration: target('registration', '/registration', `Bearer ${ready.registrationToken}`),
            introspection: target('introspection', '/introspection', basic, ready.accessTokens),
            userinfo: target('userinfo', '/userinfo', '', ready.accessTokens),
            pushed: target('pushed', '/pushed', basic),
            jwks: target('jwks', '/jwks', ''),
          }
        : {
            'client-credentials': target('client-credentials', '/token', basic),
            registration: target('registration', '/reg', `Bearer ${ready.registrationToken}`),
          }),
      ...Object.fromEntries(told),
    },
    stop: () => endChild(child, 'SIGKILL'),
  };
}

export function startFloor(folder: string, users: number, flags: readonly string[] = []): Promise<Server> {
  return startPeer('floor', 'floor', 'floor.ts', [folder, String(users)], folder, { flags });
}

/** The floors on an empty database of the PostgreSQL server whose first process is `pid`. */
export function startPostgresFloor(databaseUrl: string, pid: number, folder: string, users: number): Promise<Server> {
  const options = { env: { DATABASE_URL: databaseUrl }, pids: [pid] };
  return startPeer('floor postgres', 'floor', 'floor-postgres.ts', [String(users)], folder, options);
}

export function startOidcProvider(
  storage: 'map' | 'sqlite',
  folder: string,
  users: number,
  flags: readonly string[] = [],
): Promise<Server> {
  const args = [storage, folder, String(users)];
  return startPeer(`oidc-provider ${storage}`, 'oidc-provider', 'oidc-provider.ts', args, folder, { flags });
}
