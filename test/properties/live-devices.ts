/** Live values of devices that sign in, of their users, and of tokens that are exchanged. */

import { codesOf, decideDevice, deviceGrant, deviceMetadata } from '../support/devices.ts';
import {
  CookieJar,
  makeUser,
  type RegisteredClient,
  readForm,
  redeem,
  registerClient,
  signInForCode,
  walk,
} from '../support/sign-in.ts';
import { clientKind, showClient } from './live-tokens.ts';
import type { ClientKind, Pool } from './pool.ts';
import type { Plan } from './requests.ts';
import type { Taken } from './taken.ts';

const clients = new WeakMap<Pool, Map<string, Promise<RegisteredClient>>>();

/** A client of the kind, registered once. */
function clientFor(pool: Pool, use: string, kind: ClientKind, metadata: object): Promise<RegisteredClient> {
  const known = clients.get(pool) ?? new Map<string, Promise<RegisteredClient>>();
  clients.set(pool, known);
  const method = kind === 'unnamed' ? undefined : kind;
  const name = `${use} ${kind}`;
  const client = known.get(name) ?? registerClient(pool.app, { ...metadata, token_endpoint_auth_method: method });
  known.set(name, client);
  return client;
}

/** A client of the kind that may ask for devices. */
function deviceClient(pool: Pool, kind: ClientKind): Promise<RegisteredClient> {
  return clientFor(pool, 'device', kind, deviceMetadata);
}

/** The client of a device that begins. */
export async function beginning(pool: Pool, plan: Plan): Promise<Taken> {
  return { live: showClient(plan.scheme, await deviceClient(pool, clientKind(plan)), {}) };
}

/** A device that its user has allowed. */
export async function allowedDevice(pool: Pool, plan: Plan): Promise<Taken> {
  const client = await deviceClient(pool, clientKind(plan));
  const user = await makeUser(pool.app, client.app_id);
  const { device_code, user_code } = await codesOf(pool.app, client);
  await decideDevice(pool.app, user_code, user);
  return { live: showClient(plan.scheme, client, { grant_type: deviceGrant, device_code }), expires: true, user };
}

/** The form for a code, in the browser that it was shown in. */
export async function typedCode(pool: Pool): Promise<Taken> {
  const { user_code } = await codesOf(pool.app, await deviceClient(pool, 'none'));
  const { answer, jar } = await walk(pool.app, new CookieJar(), '/device');
  const { csrf = '' } = readForm(answer.text).fields;
  return { live: { body: { csrf, user_code }, headers: jar.header }, expires: true };
}

export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** A user's access token, and the client it was issued to. */
export async function exchanged(pool: Pool, plan: Plan): Promise<Taken> {
  const client = await clientFor(pool, 'exchange', clientKind(plan), {
    grant_types: ['authorization_code', exchangeGrant],
  });
  const user = await makeUser(pool.app, client.app_id);
  const code = (await signInForCode(pool.app, client, user)).get('code') ?? '';
  const { access_token: token } = await redeem(pool.app, client, code);
  const only = { actor_token: undefined, actor_token_type: undefined, requested_token_type: undefined };
  const members = {
    ...{ grant_type: exchangeGrant, subject_token: token, audience: undefined, ...only },
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  };
  return { live: showClient(plan.scheme, client, members), expires: true, user };
}
