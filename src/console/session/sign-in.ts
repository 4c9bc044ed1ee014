/**
 * Signs in at this account's own door, as the public client `console` (RFC 7636, RFC 9449). Of a sign-in under way the
 * session storage keeps verifier, state and where to go back to; tokens are in memory alone.
 */

import type { Schemas } from '../api/contract.ts';
import { digestOf, randomText } from './encoding.ts';
import { createProofKey, type ProofKey, wantsNonce } from './proof.ts';
import { sendAs } from './send.ts';

const client = 'console';
const returnPath = '/console/signed-in';
/** What an administrator may have; the service gives what this one has. */
const scope = 'read_users manage_users read_all manage_all';
const place = 'gatehouse-console-sign-in';

export interface Session {
  readonly token: string;
  /** The scheme of `Authorization` that the token is for. */
  readonly scheme: string;
  readonly scopes: ReadonlySet<string>;
  /** Who calls with it, as the service says. */
  readonly subject: string;
  /** Identifier of that user. */
  readonly userId: number;
  readonly key: ProofKey;
}

interface Begun {
  readonly verifier: string;
  readonly state: string;
  readonly back: string;
}

/** The door did not let this person in, in its own words. */
export class SignInRefused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

async function begin(back: string, prompt?: 'none'): Promise<{ readonly begun: Begun; readonly address: string }> {
  const begun = { verifier: randomText(), state: randomText(), back };
  const query = new URLSearchParams({
    client_id: client,
    response_type: 'code',
    redirect_uri: `${location.origin}${returnPath}`,
    scope,
    state: begun.state,
    code_challenge: await digestOf(begun.verifier),
    code_challenge_method: 'S256',
    ...(prompt && { prompt }),
  });
  return { begun, address: `/oauth2/authorize?${query}` };
}

/** Leaves the page for the sign-in; `back` is where the console goes on afterwards. */
export async function leaveForSignIn(back: string): Promise<void> {
  const { begun, address } = await begin(back);
  sessionStorage.setItem(place, JSON.stringify(begun));
  location.assign(address);
}

/** Whether the browser has just come back from the sign-in. */
export const isReturn = (): boolean => location.pathname === returnPath;

/** Goes on after a sign-in. Throws `SignInRefused`, or answers null where this browser began none. */
export async function finishSignIn(): Promise<{ readonly session: Session; readonly back: string } | null> {
  const kept = sessionStorage.getItem(place);
  sessionStorage.removeItem(place);
  if (kept === null) return null;
  const begun = JSON.parse(kept) as Begun;
  const code = readCode(new URLSearchParams(location.search), begun);
  return { session: await redeem(code, begun), back: begun.back };
}

/** A session from the browser's own one, without asking anybody. Throws `SignInRefused` where there is none. */
export async function resumeSession(): Promise<Session> {
  const { begun, address } = await begin('', 'none');
  const answer = await fetch(address);
  const { pathname, searchParams } = new URL(answer.url);
  // A page of the service stands in the way, such as that of a new password.
  if (pathname !== returnPath) throw new SignInRefused('interaction_required', 'Something is due at the sign-in.');
  return redeem(readCode(searchParams, begun), begun);
}

function readCode(answer: URLSearchParams, { state }: Begun): string {
  if (answer.get('state') !== state) throw new SignInRefused('state', 'The sign-in was begun elsewhere.');
  const code = answer.get('code');
  if (code !== null) return code;
  throw new SignInRefused(answer.get('error') ?? 'server_error', answer.get('error_description') ?? '');
}

async function redeem(code: string, { verifier }: Begun): Promise<Session> {
  const key = await createProofKey();
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: client,
    code,
    code_verifier: verifier,
    redirect_uri: `${location.origin}${returnPath}`,
  });
  const url = '/oauth2/token';
  const send = async () => {
    const dpop = await key.prove({ method: 'POST', url });
    const answer = await fetch(url, { method: 'POST', body, headers: { dpop } });
    key.keepNonce(answer.headers.get('dpop-nonce'));
    return answer;
  };
  let answer = await send();
  if (await wantsNonce(answer)) answer = await send();
  const tokens = await answer.json();
  if (!answer.ok) throw new SignInRefused(tokens.error, tokens.error_description ?? '');
  const bound = { token: String(tokens.access_token), scheme: String(tokens.token_type), key };
  const { type, id, scopes } = await readCaller(bound);
  return { ...bound, scopes: new Set(scopes), subject: `${type}:${id}`, userId: id };
}

/** Whose token it is, and what it permits now. */
async function readCaller(bound: Pick<Session, 'token' | 'scheme' | 'key'>): Promise<Schemas['Caller']> {
  const answer = await sendAs(new Request(`${location.origin}/api/2/caller`), bound);
  const said = await answer.json();
  if (!answer.ok) throw new SignInRefused('access_denied', said.message ?? '');
  return said;
}
