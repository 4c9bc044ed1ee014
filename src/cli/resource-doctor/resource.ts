/** What a resource server says of itself to a request without a token (RFC 9728, RFC 6750 §3). */

import { type Answered, ask, firstObject, redirectOf } from './ask.ts';
import { broken, type Ended } from './step.ts';

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
  const answered = await callResource(url, null);
  const { status, headers } = answered;
  const to = redirectOf(url, answered);
  if (to !== null) {
    throw broken(
      `${url} answers ${status}, which leads to ${to}`,
      'give clients that address, and name it in the metadata: no client sends a token after a redirect',
    );
  }
  if (status < 300) {
    throw broken(`${url} answers ${status} without a token`, 'refuse requests without a token by 401');
  }
  if (status !== 401) throw await notChallenged(url, status);
  return challengeIn(headers.get('www-authenticate') ?? '');
}

/** What stands in the way, as far as it shows: the address with or without a slash, or the host. */
async function notChallenged(url: string, status: number): Promise<Ended> {
  const detail = `${url} answers ${status} without a token, not 401`;
  const remedy = 'answer 401 with WWW-Authenticate to a request without a token (RFC 6750 §3)';
  if (status === 404) {
    const other = otherSlash(url);
    if ((await callResource(other, null)).status === 401) {
      return broken(`${detail}, and ${other} answers 401`, `use ${other}: a slash at the end counts`);
    }
    return broken(detail, `check the path and the host ${new URL(url).host}: nothing is there; then ${remedy}`);
  }
  const isOfHost = status === 400 || status === 403 || status === 421;
  const host = `let the API, and a proxy in front of it, take requests for the host ${new URL(url).host}; then `;
  return broken(detail, isOfHost ? host + remedy : remedy);
}

/** The same address with a slash at the end of its path, or without. */
function otherSlash(url: string): string {
  const other = new URL(url);
  other.pathname = other.pathname.endsWith('/') ? other.pathname.replace(/\/+$/, '') : `${other.pathname}/`;
  return other.href;
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
  return firstObject(places, 'no metadata of the resource', remedyOfMetadata);
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
