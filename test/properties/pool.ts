/**
 * Values that work, got by really using the service: pairs, bearers, clients, tokens and codes. What a request uses up
 * is replaced; everything else is given back and used again.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createApiKey } from '../../src/domain/callers/api-keys.ts';
import { createCredential, type NewCredential } from '../../src/domain/callers/credentials.ts';
import type { AdministratorScope } from '../../src/domain/callers/scopes.ts';
import type { UserRecord } from '../../src/store/users.ts';
import { basic, type TestApp } from '../support/app.ts';
import { type AtConsole, atConsole, makeAdministrator } from '../support/console.ts';
import {
  CookieJar,
  implicitClient,
  makeUser,
  type RegisteredClient,
  redeem,
  redirectUri,
  registerClient,
  signInForCode,
  type Tokens,
} from '../support/sign-in.ts';
import { addUser } from '../support/users.ts';
import { Browsers } from './browsers.ts';
import { Fixtures } from './fixtures.ts';

/** How a client was registered; `unnamed` said no method and may send its secret either way. */
export type ClientKind = 'client_secret_basic' | 'client_secret_post' | 'none' | 'unnamed';

/** A user's grant to a client, with its latest tokens and the browser that is signed in. */
export interface Grant {
  readonly client: RegisteredClient;
  readonly user: UserRecord;
  readonly jar: CookieJar;
  tokens: Tokens;
  /** An access token of it that was revoked. */
  revoked?: string;
}

/** A client with the token of its registration (RFC 7592). */
export type OwnClient = RegisteredClient & { readonly registration_access_token: string };

export class Pool {
  readonly app: TestApp;
  readonly browsers: Browsers;
  readonly fixtures: Fixtures;
  readonly #pairs = new Map<string, Promise<NewCredential>>();
  readonly #tokens = new Map<string, Promise<string>>();
  readonly #clients = new Map<ClientKind, Promise<RegisteredClient>>();
  readonly #own = new Map<string, Promise<OwnClient>>();
  readonly #grants = new Map<ClientKind, Grant[]>();
  readonly #administrators = new Map<AdministratorScope, Promise<AtConsole>>();
  readonly #users: string[] = [];

  constructor(app: TestApp) {
    this.app = app;
    this.browsers = new Browsers(app, () => this.client('none'));
    this.fixtures = new Fixtures(app, () => this.bearer('manage_all', 'fixtures'));
  }

  /** Drops whatever time ends; pairs and clients stay. */
  forget(): void {
    this.#tokens.clear();
    this.#grants.clear();
    this.#administrators.clear();
    this.browsers.forget();
  }

  /** An API credential pair with one scope. */
  pair(scope: string): Promise<NewCredential> {
    return once(this.#pairs, scope, () => createCredential(this.app.services, this.app.account, [scope]));
  }

  /** A bearer token of such a pair; `use` keeps those apart of which one use ends them. */
  bearer(scope: string, use = 'calls'): Promise<string> {
    return once(this.#tokens, `${use} ${scope}`, () => this.newBearer(scope));
  }

  async newBearer(scope: string): Promise<string> {
    const { clientId, clientSecret } = await this.pair(scope);
    return this.#askToken('/auth/oauth2/v2/token', basic(clientId, clientSecret));
  }

  /** An administrator with this scope, signed in at the console. */
  administrator(scope: AdministratorScope): Promise<AtConsole> {
    return once(this.#administrators, scope, async () =>
      atConsole(this.app, await makeAdministrator(this.app, [scope])),
    );
  }

  /** An access token of a client for itself: good, and about no user. */
  clientToken(): Promise<string> {
    return once(this.#tokens, 'client', async () => {
      const { client_id, client_secret = '' } = await this.client('client_secret_basic');
      return this.#askToken('/oauth2/token', basic(client_id, client_secret));
    });
  }

  async #askToken(path: string, headers: Record<string, string>): Promise<string> {
    const answer = await this.app.send('POST', path, { headers, form: { grant_type: 'client_credentials' } });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.access_token;
  }

  client(kind: ClientKind): Promise<RegisteredClient> {
    return once(this.#clients, kind, () =>
      registerClient(this.app, {
        ...implicitClient,
        // With a single one, an authorization request may leave it out.
        redirect_uris: [redirectUri, `${redirectUri}/other`],
        ...(kind !== 'unnamed' && { token_endpoint_auth_method: kind }),
      }),
    );
  }

  /** A client that manages its registration; a new one for what ends it. */
  ownClient(alone: boolean): Promise<OwnClient> {
    const make = () => registerClient(this.app) as Promise<unknown> as Promise<OwnClient>;
    return alone ? make() : once(this.#own, 'shared', make);
  }

  apiKey(): Promise<string> {
    return once(
      this.#tokens,
      'API key',
      async () => (await createApiKey(this.app.services, this.app.account, 'x')).apiKey,
    );
  }

  newAddress(): string {
    return `${randomUUID()}@example.com`;
  }

  /** A user whom no request takes away, by number. */
  user(): Promise<string> {
    return once(this.#tokens, 'user', () => this.#newUser());
  }

  /** A user for one request alone. */
  async takeUser(): Promise<string> {
    return this.#users.pop() ?? this.#newUser();
  }

  giveUser(id: string): void {
    this.#users.push(id);
  }

  async #newUser(): Promise<string> {
    const { id } = await addUser(this.app.services, this.app.account, { email: this.newAddress() });
    return String(id);
  }

  /** A grant for one request alone, to be given back. */
  async grant(kind: ClientKind): Promise<Grant> {
    const idle = this.#grants.get(kind)?.pop();
    if (idle) return idle;
    const client = await this.client(kind);
    const user = await makeUser(this.app, client.app_id);
    const jar = new CookieJar();
    const query = await signInForCode(this.app, client, user, {}, jar);
    return { client, user, jar, tokens: await redeem(this.app, client, query.get('code') ?? '') };
  }

  giveBack(kind: ClientKind, grant: Grant): void {
    const idle = this.#grants.get(kind) ?? [];
    this.#grants.set(kind, idle);
    idle.push(grant);
  }

  /** A new code of a grant's user, whose session and consent are there already. */
  async code({ client, user, jar }: Grant): Promise<string> {
    const query = await signInForCode(this.app, client, user, {}, jar);
    return query.get('code') ?? '';
  }
}

function once<Key, Value>(made: Map<Key, Promise<Value>>, key: Key, make: () => Promise<Value>): Promise<Value> {
  const value = made.get(key) ?? make();
  made.set(key, value);
  return value;
}
