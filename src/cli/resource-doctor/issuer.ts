/** The metadata of an authorization server (RFC 8414, OpenID Connect Discovery), as a client needs it. */

import { firstObject } from './ask.ts';
import { broken } from './step.ts';

export interface Issuer {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint: string | null;
  readonly takesMetadataDocuments: boolean;
  /** It sends `iss` with every authorization answer (RFC 9207). */
  readonly saysIssuer: boolean;
}

/** Throws `Ended` unless the metadata is there, is the issuer's own, and offers what clients need. */
export async function readIssuer(issuer: string): Promise<Issuer> {
  const { members, from } = await findMetadata(issuer);
  if (members['issuer'] !== issuer) {
    throw broken(
      `${from} says issuer ${JSON.stringify(members['issuer'])}, and the resource names ${issuer}`,
      'name the issuer in authorization_servers letter by letter: a slash at the end counts',
    );
  }
  const methods = members['code_challenge_methods_supported'];
  if (!Array.isArray(methods) || !methods.includes('S256')) {
    throw broken(`${from} does not offer PKCE with S256`, 'offer S256 in code_challenge_methods_supported');
  }
  return {
    issuer,
    authorizationEndpoint: addressIn(members, 'authorization_endpoint', from),
    tokenEndpoint: addressIn(members, 'token_endpoint', from),
    registrationEndpoint:
      members['registration_endpoint'] === undefined ? null : addressIn(members, 'registration_endpoint', from),
    takesMetadataDocuments: members['client_id_metadata_document_supported'] === true,
    saysIssuer: members['authorization_response_iss_parameter_supported'] === true,
  };
}

/** RFC 8414 §3.1 puts the well-known part before the path of the issuer, OpenID Connect Discovery §4 behind it. */
async function findMetadata(issuer: string) {
  const url = URL.parse(issuer);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw broken(`authorization_servers names ${issuer}, which is no web address`, 'name the base URL of the account');
  }
  const path = url.pathname.replace(/\/$/, '');
  const places = [
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
    `${url.origin}/.well-known/openid-configuration${path}`,
    `${url.origin}${path}/.well-known/openid-configuration`,
  ];
  return firstObject(
    new Set(places),
    `no metadata of the authorization server ${issuer}`,
    'check authorization_servers: the host must be that of an account, letter by letter with scheme and port, and a ' +
      'proxy in front must pass Host on as it came (gatehouse account list shows the hosts)',
  );
}

function addressIn(members: Readonly<Record<string, unknown>>, name: string, from: string): string {
  const value = members[name];
  if (typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value;
  throw broken(`${from} has no ${name} that is a web address`, `put ${name} into the metadata`);
}
