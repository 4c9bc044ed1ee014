/** An account of a running service, made and cared for as an operator does: through the command line. */

import type { Service } from './process.ts';
import type { RegisteredClient, Tokens } from './sign-in.ts';
import { password, redeem, registerClient, signInForCode } from './sign-in.ts';
import { openWire, type Wire } from './wire.ts';

export interface RunningAccount {
  readonly service: Service;
  readonly subdomain: string;
  /** What the Host header says. */
  readonly host: string;
  readonly wire: Wire;
  /** Sends to the account's host; every answer is held against the contract. */
  readonly send: Wire['send'];
  /** Another process of the same installation, used with the same account. */
  through(service: Service): Wire;
  /** A bearer of a credential with these scopes. */
  bearer(...scopes: string[]): Promise<string>;
  /** An active user with the password of `sign-in.ts` and access to the app. */
  makeUser(appId?: number): Promise<{ readonly email: string }>;
  /** A client, and the first tokens of a user who signed in to it. */
  signIn(
    metadata?: object,
  ): Promise<{ readonly client: RegisteredClient; readonly email: string; readonly tokens: Tokens }>;
  close(): void;
}

let made = 0;

/** Makes an account on the service with these settings (`limit.sign-in=off`). */
export async function openAccount(service: Service, settings: readonly string[] = []): Promise<RunningAccount> {
  made += 1;
  const subdomain = `a${made}`;
  await service.cli('account', 'create', subdomain);
  if (settings.length > 0) await service.cli('account', 'set', subdomain, ...settings);
  return runningAccount(service, subdomain, `${subdomain}.localhost:${service.installation.port}`);
}

/** An account that is there already. */
export function runningAccount(service: Service, subdomain: string, host: string): RunningAccount {
  const wires: Wire[] = [];
  const open = ({ port }: Service) => {
    const wire = openWire({ port, host });
    wires.push(wire);
    return wire;
  };
  const wire = open(service);
  const account: RunningAccount = {
    service,
    subdomain,
    host,
    wire,
    send: wire.send,
    through: open,
    bearer: async (...scopes) => {
      const options = scopes.flatMap((scope) => ['--scope', scope]);
      const pair = await service.cli('credential', 'create', '--account', subdomain, ...options);
      const form = { grant_type: 'client_credentials', client_id: pair.client_id, client_secret: pair.client_secret };
      return (await wire.send('POST', '/auth/oauth2/v2/token', { form })).body.access_token;
    },
    makeUser: (appId) => makeUser(service, subdomain, appId),
    signIn: async (metadata) => {
      const client = await registerClient(account, metadata);
      const { email } = await makeUser(service, subdomain, client.app_id);
      const query = await signInForCode(account, client, { email });
      return { client, email, tokens: await redeem(account, client, query.get('code') ?? '') };
    },
    close: () => {
      for (const one of wires) one.close();
    },
  };
  return account;
}

async function makeUser(service: Service, subdomain: string, appId?: number): Promise<{ readonly email: string }> {
  made += 1;
  const email = `user${made}@example.com`;
  const account = ['--account', subdomain];
  const names = ['--firstname', 'Ada', '--lastname', 'Lovelace'];
  await service.cli('user', 'create', ...account, '--email', email, '--password', password, ...names);
  if (appId !== undefined) {
    await service.cli('access', 'grant', ...account, '--app', String(appId), '--user', email);
  }
  return { email };
}
