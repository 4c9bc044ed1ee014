/** The kinds of requests: how each is written, and what its answer must be. */

import type { RawAnswer } from './http-client.ts';
import { benchPassword } from './peer.ts';
import { formType, getText, requestText, unexpected } from './request-text.ts';
import { userChanges, userPages, users } from './requests-management.ts';
import { hasSignedAccessToken, refreshes } from './requests-refresh.ts';
import { challenge, signIns, visits } from './requests-visits.ts';
import type { RequestKind, Target } from './target.ts';

/** A source of requests of one kind. Chains of refresh tokens live on in it from one load to the next. */
export interface Requests {
  /** The next request of a virtual client; `position` is where its token is kept. */
  write(position: number): string;
  /** What is wrong with the answer; null when nothing is. */
  check(position: number, answer: RawAnswer): string | null;
  /** Whether another request follows that answer, which counts as one with it. */
  goesOn?(position: number): boolean;
  /** How many positions there are. */
  readonly size: number;
}

export const registration = JSON.stringify({
  client_name: 'Bench App',
  application_type: 'web',
  redirect_uris: ['https://app.example.com/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'client_secret_basic',
});

/** Requests of which each is as good as any other. */
function repeated(request: string, status: number, sign: string): Requests {
  return {
    size: 1,
    write: () => request,
    check: (_position, answer) => (answer.status === status && answer.body.includes(sign) ? null : unexpected(answer)),
  };
}

/** Access tokens of clients that are signed. */
function signedClientCredentials(target: Target): Requests {
  const request = requestText(target, formType, 'grant_type=client_credentials');
  return {
    size: 1,
    write: () => request,
    check: (_position, answer) =>
      answer.status === 200 && hasSignedAccessToken(answer.body) ? null : unexpected(answer),
  };
}

function introspections(target: Target): Requests {
  return {
    size: target.tokens.length,
    write: (position) => requestText(target, formType, `token=${encodeURIComponent(target.tokens[position] ?? '')}`),
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

/** Authorization requests that are sent ahead; `clientId` where the server wants it beside the client's authentication. */
function pushes(target: Target): Requests {
  const body = new URLSearchParams({
    response_type: 'code',
    redirect_uri: 'https://app.example.com/callback',
    scope: 'openid',
    state: 'a-state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(target.clientId && { client_id: target.clientId }),
  });
  return repeated(requestText(target, formType, body.toString()), 201, '"request_uri":"');
}

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
    code_challenge: challenge,
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
  'refresh-dpop': refreshes,
  'refresh-jwt': refreshes,
  introspection: introspections,
  userinfo: userinfos,
  pushed: pushes,
  jwks: ({ path, host }) => repeated(getText(host, path, 'Accept: application/json\r\n'), 200, '"kid":"'),
  discovery: ({ path, host }) => repeated(getText(host, path, 'Accept: application/json\r\n'), 200, '"jwks_uri":"'),
  code: visits,
  'code-exchange': visits,
  user: users,
  'user-change': userChanges,
  'user-list': userPages,
  delegated: delegations,
  'sign-in': signIns,
  authorization: authorizations,
  registration: (target) => repeated(requestText(target, 'application/json', registration), 201, '"client_secret":"'),
  'client-credentials': (target) =>
    repeated(requestText(target, formType, 'grant_type=client_credentials'), 200, '"access_token":"'),
  'client-credentials-jwt': signedClientCredentials,
} as const satisfies Record<RequestKind, (target: Target) => Requests>;

export const requestKinds = Object.keys(sources);

export function isRequestKind(text: string): text is RequestKind {
  return Object.hasOwn(sources, text);
}

export function requestsTo(target: Target): Requests {
  return sources[target.kind](target);
}
