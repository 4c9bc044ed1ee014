/** A client that registers itself and asks for a token, as agents and command-line tools do. */

import { createHash, randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { ask, askObject } from './ask.ts';
import type { Callback } from './callback.ts';
import type { Issuer } from './issuer.ts';
import { broken } from './step.ts';

export interface DoctorClient {
  readonly clientId: string;
  /** Where the registration is deleted, and by which token (RFC 7592); null for a client that was there before. */
  readonly registration: { readonly uri: string; readonly token: string } | null;
}

export interface AuthorizationRequest {
  readonly address: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** What the client asks for: a token for one resource. */
export interface Wanted {
  readonly resource: string;
  readonly scope: string;
}

const open = 'let clients register themselves (gatehouse account set <account> registration=open), or give --client-id';

/** Registers a public client of this machine. Throws `Ended`. */
export async function registerAt(issuer: Issuer, redirectUri: string): Promise<DoctorClient> {
  const { registrationEndpoint, takesMetadataDocuments } = issuer;
  if (registrationEndpoint === null) {
    throw broken(
      takesMetadataDocuments
        ? `${issuer.issuer} takes clients by metadata document alone`
        : `${issuer.issuer} lets no client register itself`,
      takesMetadataDocuments ? 'give the address of such a document as --client-id' : open,
    );
  }
  const { status, members } = await askObject(registrationEndpoint, open, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'gatehouse doctor',
      application_type: 'native',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id: clientId, registration_client_uri: uri, registration_access_token: token } = members;
  if (status >= 300) {
    const remedy = status === 429 ? 'wait, or give --client-id' : open;
    throw broken(`a registration is refused: ${errorIn(status, members)}`, remedy);
  }
  if (typeof clientId !== 'string') {
    throw broken('a registration is answered without client_id', 'answer as RFC 7591 §3.2.1 says');
  }
  // The token goes back to where it came from, and nowhere else that the answer names.
  const isManaged =
    typeof uri === 'string' &&
    typeof token === 'string' &&
    URL.parse(uri)?.origin === new URL(registrationEndpoint).origin;
  return { clientId, registration: isManaged ? { uri, token } : null };
}

/** Leaves nothing behind. A server that does not let it is left as it is. */
export async function deleteRegistration({ registration }: DoctorClient): Promise<void> {
  if (registration === null) return;
  const { uri, token } = registration;
  await ask(uri, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } }).catch(() => null);
}

export function newAuthorizationRequest(
  { authorizationEndpoint }: Issuer,
  clientId: string,
  { redirectUri, state }: Pick<Callback, 'redirectUri' | 'state'>,
  { resource, scope }: Wanted,
): AuthorizationRequest {
  const verifier = randomBytes(32).toString('base64url');
  const address = new URL(authorizationEndpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource,
    ...(scope !== '' && { scope }),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  return { address: address.href, redirectUri, verifier };
}

const remedies: Readonly<Record<string, string>> = {
  invalid_target:
    'make an API authorization server whose resource_identifier is this resource letter by letter, and let clients ask for it: client_access consent, or a link to the client',
  invalid_scope: 'mark a scope of the API as open, or ask for one that there is with --scope',
  unauthorized_client: 'let the client use the grant type authorization_code',
};

/** Asks for the first page of the sign-in, without signing in. Throws `Ended` when the request is refused. */
export async function tryAuthorization({ address, redirectUri }: AuthorizationRequest): Promise<void> {
  const { status, headers, text } = await ask(address, { headers: { accept: 'text/html' } });
  const location = headers.get('location') ?? '';
  if (status >= 400) {
    const [, heading] = /<h1\b[^<>]*>([^<>]*)<\/h1>/i.exec(text) ?? [];
    const [, reference] = /\b([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\b/.exec(text) ?? [];
    throw broken(
      `the authorization endpoint answers ${status}${heading ? `: ${heading}` : ''}`,
      reference === undefined
        ? 'let the client be registered with the redirect URI http://127.0.0.1/callback, whose port may differ'
        : `gatehouse why ${reference} tells the reason; the client needs the redirect URI http://127.0.0.1/callback`,
    );
  }
  // A page may wait for the user to go on, with the same address in it.
  const answer = location.startsWith(redirectUri) ? location : answerInPage(text, redirectUri);
  if (answer !== null) refuse(new URL(answer).searchParams);
}

function answerInPage(html: string, redirectUri: string): string | null {
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
  return links.find((href) => href.startsWith(`${redirectUri}?`) && href.includes('error=')) ?? null;
}

/** Throws `Ended` when the answer of the authorization server is an error. */
function refuse(answer: URLSearchParams): void {
  const error = answer.get('error');
  if (error === null) return;
  const description = answer.get('error_description');
  throw broken(
    `the authorization server refuses: ${error}${description ? `, ${description}` : ''}`,
    remedies[error] ?? 'mend what the error says',
  );
}

/** Takes the answer that the browser brought and exchanges the code. Throws `Ended`. */
export async function takeToken(
  { tokenEndpoint, issuer, saysIssuer }: Issuer,
  clientId: string,
  { redirectUri, verifier }: AuthorizationRequest,
  { resource }: Wanted,
  answer: URLSearchParams,
): Promise<string> {
  refuse(answer);
  if (saysIssuer && answer.get('iss') !== issuer) {
    throw broken(`the answer has iss ${answer.get('iss')}, not ${issuer}`, 'send iss as RFC 9207 says');
  }
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: answer.get('code') ?? '',
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: verifier,
    resource,
  });
  const remedy = 'answer JSON (RFC 6749 §5)';
  const { status, members } = await askObject(tokenEndpoint, remedy, { method: 'POST', body: form });
  if (status !== 200) throw broken(`the token request is refused: ${errorIn(status, members)}`, 'mend what it says');
  const token = members['access_token'];
  if (typeof token !== 'string') throw broken('the token answer has no access_token', remedy);
  requireAudience(token, resource);
  return token;
}

/** An opaque token says nothing, and the resource server asks about it. */
function requireAudience(token: string, resource: string): void {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return;
  const audience = audienceIn(token);
  if (audience === null || audience.includes(resource)) return;
  throw broken(
    `the token is for ${audience.join(', ') || 'nobody'}, not for ${resource}`,
    'let the authorization server honour the parameter resource (RFC 8707)',
  );
}

/** Null: it only looks like a JWT. */
function audienceIn(token: string): readonly string[] | null {
  try {
    return [decodeJwt(token).aud].flat().filter((one) => typeof one === 'string');
  } catch {
    return null;
  }
}

function errorIn(status: number, { error, error_description: description }: Readonly<Record<string, unknown>>): string {
  return [status, error, description].filter((part) => typeof part === 'string' || part === status).join(' ');
}
