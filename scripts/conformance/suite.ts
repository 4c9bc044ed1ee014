/**
 * Configurations of the OpenID Foundation's conformance suite, as its tab JSON takes them, and the clients of the FAPI
 * plans, which are registered before: those plans register none themselves.
 */

import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Account } from '../../src/domain/accounts/account.ts';
import type { Caller } from '../../src/domain/callers/caller.ts';
import { registerClient } from '../../src/domain/clients/register.ts';
import type { Services } from '../../src/services.ts';
import { rules } from '../../src/surfaces/oauth2/represent-client.ts';

/** Where the suite runs, and what it calls this service in the addresses of its clients. */
export interface Suite {
  readonly url: string;
  readonly alias: string;
}

type FapiAlgorithm = 'PS256' | 'ES256';

function discoveryOf({ baseUrl }: Account): string {
  return `${baseUrl}/.well-known/openid-configuration`;
}

/** For the plans that register their clients themselves, with the initial access token. */
export function openIdConfiguration(account: Account, email: string, initialAccessToken: string) {
  const client = (name: string) => ({ client_name: name, initial_access_token: initialAccessToken });
  return {
    description: account.name,
    server: { discoveryUrl: discoveryOf(account), login_hint: email },
    client: client('Conformance suite'),
    client2: client('Conformance suite, second client'),
  };
}

/** For the FAPI 2.0 plans: two new clients with keys of their own, whose private parts the suite needs. */
export async function fapiConfiguration(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'limits' | 'vault' | 'egress'>,
  account: Account,
  caller: Caller,
  suite: Suite,
  alg: FapiAlgorithm,
) {
  const alias = `${suite.alias}-${alg.toLowerCase()}`;
  const callback = `${suite.url}/test/a/${alias}/callback`;
  const client = async (name: string) => {
    const key = await newKey(alg);
    const request = {
      client_name: name,
      security_profile: 'fapi2',
      // The suite calls its second client there.
      redirect_uris: [callback, `${callback}?dummy1=lorem&dummy2=ipsum`],
      jwks: { keys: [publicPart(key)] },
      id_token_signed_response_alg: alg,
      authorization_signed_response_alg: alg,
    };
    const registrant = { caller, source: '127.0.0.1', openAllowed: false };
    const registered = await registerClient(services, account, registrant, request, rules);
    return {
      client_id: registered.client.clientId,
      scope: 'openid',
      jwks: { keys: [key] },
      dpop_signing_alg: alg,
    };
  };
  return {
    alias,
    description: `${account.name}, ${alg}`,
    server: { discoveryUrl: discoveryOf(account) },
    client: await client(`Conformance suite, ${alg}`),
    client2: await client(`Conformance suite, ${alg}, second client`),
    resource: { resourceUrl: `${account.baseUrl}/oauth2/userinfo` },
  };
}

async function newKey(alg: FapiAlgorithm): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true, modulusLength: 2048 });
  const key = await exportJWK(privateKey);
  return { ...key, kid: await calculateJwkThumbprint(key), use: 'sig', alg };
}

function publicPart({ kty, crv, x, y, n, e, kid, use, alg }: JWK): Record<string, unknown> {
  const members = { kty, crv, x, y, n, e, kid, use, alg };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
