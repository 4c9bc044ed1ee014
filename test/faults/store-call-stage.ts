/** What the operations of `store-calls.ts` are asked with: made once for an application, while nothing fails. */

import { createCredential, type NewCredential } from '../../src/domain/callers/credentials.ts';
import type { FaultyApp } from '../support/faults.ts';
import {
  CookieJar,
  implicitClient,
  makeUser,
  type RegisteredClient,
  redeem,
  registerClient,
  signInForCode,
  type Tokens,
} from '../support/sign-in.ts';
import { browserOf, type SignedInBrowser } from '../support/sign-out.ts';

export interface Stage {
  readonly client: RegisteredClient;
  readonly userId: number;
  readonly email: string;
  /** Signed in, and allowed the client before. */
  readonly jar: CookieJar;
  readonly tokens: Tokens;
  readonly pair: NewCredential;
  readonly bearer: string;
}

/** What is made once for each application. */
export function once<Made>(make: (app: FaultyApp) => Promise<Made>): (app: FaultyApp) => Promise<Made> {
  const made = new WeakMap<FaultyApp, Promise<Made>>();
  return (app) => {
    const known = made.get(app) ?? make(app);
    made.set(app, known);
    return known;
  };
}

export const stageOf = once(makeStage);

/** A client with this metadata. */
export function clientWith(metadata: object): (app: FaultyApp) => Promise<RegisteredClient> {
  return once((app) => registerClient(app, metadata));
}

async function makeStage(app: FaultyApp): Promise<Stage> {
  const client = await registerClient(app, implicitClient);
  const user = await makeUser(app, client.app_id);
  const jar = new CookieJar();
  const query = await signInForCode(app, client, user, {}, jar);
  return {
    client,
    userId: user.id,
    email: user.email ?? '',
    jar,
    tokens: await redeem(app, client, query.get('code') ?? ''),
    pair: await createCredential(app.services, app.account, ['read_users']),
    bearer: await app.bearer('manage_all'),
  };
}

/** A browser of its own user, signed in to the client. */
export async function newBrowser(app: FaultyApp): Promise<SignedInBrowser> {
  return browserOf(app, (await stageOf(app)).client);
}

/** A code of the signed-in user. */
export async function newCode(app: FaultyApp): Promise<string> {
  const { client, email, jar } = await stageOf(app);
  return (await signInForCode(app, client, { email }, {}, jar)).get('code') ?? '';
}

/** Tokens of its own grant. */
export async function newTokens(app: FaultyApp): Promise<Tokens> {
  return redeem(app, (await stageOf(app)).client, await newCode(app));
}
