/** Live values of the operations that a browser is sent to. */

import type { UserRecord } from '../../src/store/users.ts';
import { codeChallenge, redirectUri } from '../support/sign-in.ts';
import type { Browser, Stage } from './browsers.ts';
import { clientKind, showClient } from './live-tokens.ts';
import type { Pool } from './pool.ts';
import type { Plan } from './requests.ts';
import type { Taken } from './taken.ts';

/** An authorization request of any kind of client. */
export async function authorization(pool: Pool, { pick, freedom }: Plan, place: 'query' | 'body'): Promise<Taken> {
  const kinds = ['client_secret_basic', 'client_secret_post', 'none', 'unnamed'] as const;
  const { client_id } = await pool.client(kinds[pick % kinds.length] ?? 'none');
  const parameters = {
    response_type: 'code',
    client_id,
    redirect_uri: redirectUri,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    // Documented, and documented as refused; a hint would have to be this client's.
    ...(freedom === 'example' && { request: undefined, request_uri: undefined, id_token_hint: undefined }),
    // Refused by a form that the browser sends on.
    ...(freedom === 'mixed' && pick % 4 === 0 && { prompt: 'none', response_mode: 'form_post' }),
  };
  return { live: { [place]: parameters }, loose: ['code_challenge'] };
}

/** The same, sent ahead: the client shows who it is. */
export async function pushed(pool: Pool, plan: Plan): Promise<Taken> {
  const client = await pool.client(clientKind(plan));
  const { live } = await authorization(pool, plan, 'body');
  const members = { ...live.body, request: undefined, request_uri: undefined, client_id: client.client_id };
  return {
    live: showClient(plan.scheme, client, members),
    loose: ['code_challenge'],
    // The header says who it is.
    ...(plan.scheme && { optional: ['client_id'] }),
  };
}

/** A hosted page: the sign-in in progress, its cookies, and (in a form) its token and fields. */
export async function page(
  pool: Pool,
  stage: Stage,
  place: 'query' | 'body',
  fields?: (browser: Browser) => Record<string, string> | Promise<Record<string, string>>,
): Promise<Taken & { readonly signedIn: UserRecord }> {
  const browser = await pool.browsers.take(stage);
  const { jar, requestId, csrf, user } = browser;
  const members = { request: requestId, ...(fields && { csrf, ...(await fields(browser)) }) };
  // The cookie that binds the sign-in to the browser stands last, where a changed header changes it.
  const cookies = [...jar.cookies].sort(([one], [other]) => one.localeCompare(other));
  const cookie = cookies.map(([name, value]) => `${name}=${value}`).join('; ');
  return {
    live: { [place]: members, headers: { cookie } },
    expires: true,
    signedIn: user,
    settle: (answer) => {
      jar.keep(answer);
      // A wrong password was counted against the user.
      if (answer.status === 401) return;
      // The user has a password that nobody else knows.
      if (answer.status === 303 && stage === 'expired' && fields) return;
      // Or a code that is used up, or a device whose key nobody else knows.
      if ((stage === 'code' || stage === 'enrolment') && fields && answer.status < 400) return;
      const ended = stage === 'granted' ? answer.status < 400 : answer.status === 303 && stage === 'open' && !!fields;
      if (ended) pool.browsers.giveBackSession(browser);
      else pool.browsers.giveBack(stage, browser);
    },
  };
}
