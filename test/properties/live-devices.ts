/** Live values of devices that sign in, and of their users. */

import { codesOf, decideDevice, deviceGrant, deviceMetadata } from '../support/devices.ts';
import { CookieJar, makeUser, type RegisteredClient, readForm, registerClient, walk } from '../support/sign-in.ts';
import { clientKind, showClient } from './live-tokens.ts';
import type { ClientKind, Pool } from './pool.ts';
import type { Plan } from './requests.ts';
import type { Taken } from './taken.ts';

const clients = new WeakMap<Pool, Map<ClientKind, Promise<RegisteredClient>>>();

/** A client of the kind that may ask for devices. */
function deviceClient(pool: Pool, kind: ClientKind): Promise<RegisteredClient> {
  const known = clients.get(pool) ?? new Map<ClientKind, Promise<RegisteredClient>>();
  clients.set(pool, known);
  const method = kind === 'unnamed' ? undefined : kind;
  const client = known.get(kind) ?? registerClient(pool.app, { ...deviceMetadata, token_endpoint_auth_method: method });
  known.set(kind, client);
  return client;
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
