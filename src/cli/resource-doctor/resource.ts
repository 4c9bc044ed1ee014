/** What a resource server says of itself to a request without a token (RFC 9728, RFC 6750 §3). */

import { type Answered, ask, firstAnswer } from './ask.ts';
import { broken } from './step.ts';

/** Parameters of the Bearer challenge; empty where there is none. */
export type Challenge = Readonly<Record<string, string>>;

/** The members of the resource's metadata that a client uses. */
export interface Resource {
  readonly resource: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
}

const remedyOfMetadata =
  'serve the metadata of the resource (RFC 9728), and name its address in the challenge: resource_metadata="…"';

/** The request with which a client of the Model Context Protocol begins; other APIs refuse it without a token as well. */
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'gatehouse doctor', version: '1' } },
});

/** Calls the resource, with a token or without one; by GET where it takes no POST. */
export async function callResource(url: string, token: string | null): Promise<Answered> {
  const headers = {
    accept: 'application/json, text/event-stream',
    ...(token !== null && { authorization: `Bearer ${token}` }),
  };
  const json = { 'content-type': 'application/json' };
  const posted = await ask(url, { method: 'POST', headers: { ...headers, ...json }, body: initialize });
  return posted.status === 404 || posted.status === 405 ? ask(url, { headers }) : posted;
}

/** Throws `Ended` unless a request without a token is refused as clients expect. */
export async function readChallenge(url: string): Promise<Challenge> {
  const { status, headers } = await callResource(url, null);
  if (status < 300) {
    throw broken(`${url} answers ${status} without a token`, 'refuse requests without a token by 401');
  }
  if (status !== 401) {
    throw broken(
      `${url} answers ${status} without a token, not 401`,
      'answer 401 with WWW-Authenticate to a request without a token (RFC 6750 §3)',
    );
  }
  return challengeIn(headers.get('www-authenticate') ?? '');
}

export function challengeIn(header: string): Challenge {
  const [, parameters] = /(?:^|,\s*)(?:Bearer|DPoP)\s+(.*)$/i.exec(header) ?? [];
  const found = (parameters ?? '').matchAll(/([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi);
  return Object.fromEntries(
    [...found].map(([, name = '', quoted, plain = '']) => [
      name.toLowerCase(),
      quoted?.replaceAll(/\\(.)/g, '$1') ?? plain,
    ]),
  );
}

/** Throws `Ended` unless the metadata is there, is about this resource, and names an authorization server. */
export async function readResource(url: string, challenge: Challenge): Promise<Resource> {
  const { members, from } = await findMetadata(url, challenge);
  const { resource, authorization_servers: issuers, scopes_supported: scopes } = members;
  if (typeof resource !== 'string') throw broken(`${from} has no member resource`, remedyOfMetadata);
  if (!isResourceOf(resource, url)) {
    throw broken(
      `${from} is about ${resource}, and clients use ${url}${differenceOf(resource, url)}`,
      'make the member resource the address that clients use, letter by letter',
    );
  }
  const issuer = Array.isArray(issuers) ? issuers.find((one) => typeof one === 'string') : undefined;
  if (issuer === undefined) {
    throw broken(
      `${from} names no authorization server`,
      'put the base URL of the account into authorization_servers, such as https://acme.id.example.com',
    );
  }
  return { resource, issuer, scopes: Array.isArray(scopes) ? scopes.filter((one) => typeof one === 'string') : [] };
}

async function findMetadata(url: string, challenge: Challenge) {
  const { resource_metadata: named } = challenge;
  const { origin, pathname } = new URL(url);
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const places = named === undefined ? [...new Set([wellKnown + pathname.replace(/\/$/, ''), wellKnown])] : [named];
  if (named !== undefined && !/^https?:$/.test(URL.parse(named)?.protocol ?? '')) {
    throw broken(`the challenge names resource_metadata="${named}", which is not a web address`, remedyOfMetadata);
  }
  const found = await firstAnswer(places);
  if (found?.members) return { ...found, members: found.members };
  if (found) throw broken(`${found.from} is not a JSON object`, remedyOfMetadata);
  throw broken(`no metadata of the resource at ${places.join(' or ')}`, remedyOfMetadata);
}

/** The resource itself, or one that contains it. */
function isResourceOf(resource: string, url: string): boolean {
  if (resource === url) return true;
  const [whole, part] = [URL.parse(resource), URL.parse(url)];
  if (!whole || !part || whole.origin !== part.origin || whole.search !== '') return false;
  return part.pathname.startsWith(whole.pathname.endsWith('/') ? whole.pathname : `${whole.pathname}/`);
}

function differenceOf(resource: string, url: string): string {
  const [one, other] = [URL.parse(resource), URL.parse(url)];
  if (`${resource}/` === url || resource === `${url}/`) return ' (a slash at the end differs)';
  if (one?.hostname === other?.hostname && one?.port !== other?.port) return ' (the port differs)';
  return '';
}
