/**
 * Configurations of the OpenID Foundation's conformance suite, as its tab JSON takes them, and the clients of the FAPI
 * plans, which are registered before: those plans register none themselves.
 */

import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Account } from '../../src/domain/accounts/account.ts';
import { certificateOrigin } from '../../src/domain/accounts/addresses.ts';
import type { Caller } from '../../src/domain/callers/caller.ts';
import { registerClient } from '../../src/domain/clients/register.ts';
import type { Services } from '../../src/services.ts';
import { rules } from '../../src/surfaces/oauth2/represent-client.ts';
import type { SuiteCertificate } from './certificates.ts';
import { type FapiPlan, usesCertificates } from './plans.ts';

/** Where the suite runs, and what it calls this service in the addresses of its clients. */
export interface Suite {
  readonly url: string;
  readonly alias: string;
}

/** Who registers the clients of a run, and the certificates of the two clients of each plan, where there are any. */
export interface Registering {
  readonly caller: Caller;
  readonly suite: Suite;
  readonly certificates: readonly SuiteCertificate[];
}

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

/** For a FAPI 2.0 plan: two new clients with keys of their own, whose private parts the suite needs. */
export async function fapiConfiguration(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'limits' | 'vault' | 'egress'>,
  account: Account,
  { caller, suite, certificates }: Registering,
  plan: FapiPlan,
) {
  const alias = `${suite.alias}-${plan.id.replaceAll('_', '-')}`;
  const callback = `${suite.url}/test/a/${alias}/callback`;
  const [mtls, mtls2] = usesCertificates(plan) ? certificates : [];
  const client = async (name: string, certificate: SuiteCertificate | undefined) => {
    const key = await newKey(plan.alg);
    const request = {
      client_name: `Conformance suite, ${plan.title}${name}`,
      security_profile: 'fapi2',
      // The suite calls its second client there.
      redirect_uris: [callback, `${callback}?dummy1=lorem&dummy2=ipsum`],
      id_token_signed_response_alg: plan.alg,
      authorization_signed_response_alg: plan.alg,
      require_signed_request_object: plan.signs,
      ...keysOf(plan, publicPart(key), certificate),
    };
    const registrant = { caller, source: '127.0.0.1', openAllowed: false };
    const registered = await registerClient(services, account, registrant, request, rules);
    return {
      client_id: registered.client.clientId,
      // More than one, since a module changes their order.
      scope: 'openid email',
      jwks: { keys: [key] },
      ...(certificate === undefined && { dpop_signing_alg: plan.alg }),
    };
  };
  return {
    alias,
    description: `${account.name}, ${plan.title}`,
    server: { discoveryUrl: discoveryOf(account) },
    client: await client('', mtls),
    client2: await client(', second client', mtls2),
    ...(mtls && { mtls: mtls.member }),
    ...(mtls2 && { mtls2: mtls2.member }),
    // A token for a certificate is used where the proxy asks for one.
    resource: { resourceUrl: `${(mtls && certificateOrigin(account.settings)) ?? account.baseUrl}/oauth2/userinfo` },
  };
}

/** What a client registers of its keys; those of its certificate where it authenticates by this. */
function keysOf({ variants }: FapiPlan, key: JWK, certificate: SuiteCertificate | undefined) {
  if (certificate === undefined) return { jwks: { keys: [key] } };
  return variants.client_auth_type === 'mtls'
    ? { token_endpoint_auth_method: 'self_signed_tls_client_auth', jwks: { keys: [key, certificate.jwk] } }
    : { tls_client_certificate_bound_access_tokens: true, jwks: { keys: [key] } };
}

async function newKey(alg: FapiPlan['alg']): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true, modulusLength: 2048 });
  const key = await exportJWK(privateKey);
  return { ...key, kid: await calculateJwkThumbprint(key), use: 'sig', alg };
}

function publicPart({ kty, crv, x, y, n, e, kid, use, alg }: JWK): JWK {
  const members = { kty, crv, x, y, n, e, kid, use, alg };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JWK;
}
