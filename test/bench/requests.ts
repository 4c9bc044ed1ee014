/** The kinds of requests: how each is written, and what its answer must be. */

import type { RawAnswer } from './http-client.ts';
import { benchPassword } from './peer.ts';
import type { RequestKind, Target } from './target.ts';

/** A source of requests of one kind. Chains of refresh tokens live on in it from one load to the next. */
export interface Requests {
  /** The next request of a virtual client; `position` is where its token is kept. */
  write(position: number): string;
  /** What is wrong with the answer; null when nothing is. */
  check(position: number, answer: RawAnswer): string | null;
  /** How many positions there are. */
  readonly size: number;
}

const form = 'application/x-www-form-urlencoded';

export const registration = JSON.stringify({
  client_name: 'Bench App',
  application_type: 'web',
  redirect_uris: ['https://app.example.com/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'client_secret_basic',
});

/** The body is ASCII, so that its length is the number of its bytes. */
function requestText({ path, host, authorization }: Target, type: string, body: string): string {
  const authenticated = authorization === null ? '' : `Authorization: ${authorization}\r\n`;
  return (
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${authenticated}Content-Type: ${type}\r\n` +
    `Accept: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

function unexpected({ status, body }: RawAnswer): string {
  return `${status} ${body.slice(0, 300)}`;
}

/** Bytes of a signature: RS256 with a key of 2,048 bits is what all servers have in common. */
const signatureBytes = { RS256: 256, ES256: 64 } as const;

/** Whether an id token is signed as it should be. */
function isSignedBy(expected: keyof typeof signatureBytes, idToken: string): boolean {
  const [header = '', , signature = ''] = idToken.split('.');
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg?: unknown };
  return alg === expected && Buffer.from(signature, 'base64url').length === signatureBytes[expected];
}

function refreshes(target: Target): Requests {
  const tokens = [...target.tokens];
  const of = target.clientId ? `&client_id=${encodeURIComponent(target.clientId)}` : '';
  const alg = target.kind === 'refresh-es256' ? 'ES256' : 'RS256';
  let signatureSeen = false;
  return {
    size: tokens.length,
    write: (position) =>
      requestText(
        target,
        form,
        `grant_type=refresh_token&refresh_token=${encodeURIComponent(tokens[position] ?? '')}${of}`,
      ),
    check: (position, answer) => {
      const successor = /"refresh_token":"([^"]+)"/.exec(answer.body)?.[1];
      const idToken = /"id_token":"([^"]+)"/.exec(answer.body)?.[1];
      if (answer.status !== 200 || !successor || !idToken) return unexpected(answer);
      if (successor === tokens[position]) return 'the refresh token did not rotate';
      if (!signatureSeen && !isSignedBy(alg, idToken)) return `the id token is not signed with ${alg} as it should be`;
      signatureSeen = true;
      // A copy: a part of the body would keep all of it.
      tokens[position] = Buffer.from(successor, 'latin1').toString('latin1');
      return null;
    },
  };
}

/** Requests of which each is as good as any other. */
function repeated(request: string, status: number, sign: string): Requests {
  return {
    size: 1,
    write: () => request,
    check: (_position, answer) => (answer.status === status && answer.body.includes(sign) ? null : unexpected(answer)),
  };
}

function introspections(target: Target): Requests {
  return {
    size: target.tokens.length,
    write: (position) => requestText(target, form, `token=${encodeURIComponent(target.tokens[position] ?? '')}`),
    check: (_position, answer) =>
      answer.status === 200 && answer.body.includes('"active":true') ? null : unexpected(answer),
  };
}

function userinfos({ path, host, tokens }: Target): Requests {
  return {
    size: tokens.length,
    write: (position) => {
      const bearer = `Authorization: Bearer ${tokens[position] ?? ''}\r\n`;
      return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${bearer}Accept: application/json\r\n\r\n`;
    },
    check: (_position, answer) =>
      answer.status === 200 && answer.body.includes('"family_name":"Lovelace ') ? null : unexpected(answer),
  };
}

/** An authorization request that is sent ahead. */
const pushedRequest = new URLSearchParams({
  response_type: 'code',
  redirect_uri: 'https://app.example.com/callback',
  scope: 'openid',
  state: 'a-state',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
}).toString();

/** Each virtual client has its own users: simultaneous sign-ins of one user would count towards its lockout. */
function delegations(target: Target): Requests {
  const { path, host, authorization, tokens } = target;
  return {
    size: tokens.length,
    write: (position) => {
      const query = { api_key: authorization ?? '', email: tokens[position] ?? '', password: benchPassword };
      return `GET ${path}?${new URLSearchParams(query)} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    },
    check: (_position, answer) =>
      answer.status === 200 && answer.body.includes('<authenticated>true<') ? null : unexpected(answer),
  };
}

/** Sign-ins that begin: each answer is the address where the browser goes on. */
function authorizations({ path, host, clientId }: Target): Requests {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId ?? '',
    redirect_uri: 'http://127.0.0.1:33418/callback',
    scope: 'openid',
    state: 'a-state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  const request = `GET ${path}?${query} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\n\r\n`;
  return {
    size: 1,
    write: () => request,
    check: (_position, answer) =>
      answer.status === 303 && /\r\nlocation: [^\r]*\/continue\?request=/i.test(answer.head)
        ? null
        : unexpected(answer),
  };
}

const sources = {
  refresh: refreshes,
  'refresh-es256': refreshes,
  introspection: introspections,
  userinfo: userinfos,
  pushed: (target) => repeated(requestText(target, form, pushedRequest), 201, '"request_uri":"'),
  jwks: ({ path, host }) =>
    repeated(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\n\r\n`, 200, '"kid":"'),
  delegated: delegations,
  authorization: authorizations,
  registration: (target) => repeated(requestText(target, 'application/json', registration), 201, '"client_secret":"'),
  'client-credentials': (target) =>
    repeated(requestText(target, form, 'grant_type=client_credentials'), 200, '"access_token":"'),
} as const satisfies Record<RequestKind, (target: Target) => Requests>;

export function requestsTo(target: Target): Requests {
  return sources[target.kind](target);
}
