import { createHash, randomBytes } from 'node:crypto';
import { type Answer, expectJson } from './http.ts';
import { CookieJar, type Form, readForm } from './page.ts';
import { indent, say, showJson } from './print.ts';
import { redirectUri } from './registration.ts';
import { expect } from './surprise.ts';
import { basic, type Step, type TokenSet, type Tour } from './tour.ts';

const mostPages = 10;
const random = () => randomBytes(32).toString('base64url');

export const signIn: Step = {
  title: 'Sign in',
  about:
    'The client sends the browser to the service with a PKCE challenge. The user signs in and consents on plain forms, ' +
    'here filled in by a program, and the browser comes back to the client with a code.',
  run: (tour) => signInFor(tour, { scope: 'openid profile email' }),
};

/** Who sends the user to the service, and where the user comes back to. */
interface Sender {
  readonly client_id: string;
  readonly redirect_uri: string;
}

/** Signs the user in for what `asked` names, and learns the code that the client gets; default: the first client. */
export async function signInFor(
  tour: Tour,
  asked: Readonly<Record<string, string>>,
  sender: Sender = { client_id: tour.recall('client').client_id, redirect_uri: redirectUri },
): Promise<void> {
  const [verifier, state, nonce] = [random(), random(), random()];
  const start = `/oauth2/authorize?${new URLSearchParams({
    response_type: 'code',
    ...sender,
    ...asked,
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })}`;
  const back = (await browse(tour, start, sender.redirect_uri)).searchParams;
  expect(back.has('code'), `the client got ${back.get('error') ?? 'nothing'} instead of a code`);
  expect(back.get('state') === state, 'the state that came back is not the one that was sent');
  // RFC 9207 §2.4: the answer is from the issuer that was asked.
  expect(back.get('iss') === tour.demo.issuer, 'the answer names another issuer');
  tour.learn('code', { value: back.get('code') ?? '', verifier, nonce });
}

/** Walks on from a path, through redirects and forms, to the address of the client, which begins with `end`. */
async function browse(tour: Tour, start: string, end: string): Promise<URL> {
  const jar = new CookieJar();
  let answer = await visit(tour, jar, 'GET', start);
  for (let pages = 0; pages < mostPages; pages += 1) {
    const location = answer.headers.get('location');
    if (location?.startsWith(end)) return new URL(location);
    if (location !== null) {
      answer = await visit(tour, jar, 'GET', location);
      continue;
    }
    const form = answer.status === 200 ? readForm(answer.text) : null;
    expect(form !== null, `the sign-in ended on a page with status ${answer.status}`);
    answer = await visit(tour, jar, 'POST', form.action, fillIn(tour, form));
  }
  expect(false, `the sign-in did not end after ${mostPages} pages`);
}

async function visit(
  tour: Tour,
  jar: CookieJar,
  method: string,
  path: string,
  form?: Record<string, string>,
): Promise<Answer> {
  const answer = await tour.send(method, path, { headers: jar.header, ...(form && { form }) });
  jar.keep(answer.headers);
  return answer;
}

function fillIn({ demo }: Tour, { names, values }: Form): Record<string, string> {
  if (names.has('password')) return { ...values, username: demo.user.email, password: demo.user.password };
  expect(names.has('decision'), `nobody told the tour how to fill in a form with ${[...names].join(', ')}`);
  return { ...values, decision: 'allow' };
}

export const redeemCode: Step = {
  title: 'The code for the first tokens',
  about: 'The client exchanges the code at the standard door, within 60 seconds and once.',
  run: async (tour) => {
    const { recall, learn, demo } = tour;
    const [client, code] = [recall('client'), recall('code')];
    const tokens = await redeem(tour);
    const claims = JSON.parse(Buffer.from(tokens.id_token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    say(`\n  The id token says:\n${indent(showJson(claims))}\n`);
    expect(claims.iss === demo.issuer && claims.aud === client.client_id, 'the id token is not for this client');
    expect(claims.nonce === code.nonce, 'the id token does not carry the nonce that was sent');
    learn('tokens', tokens);
  },
};

/** Exchanges the code that was learned last. */
export async function redeem({ send, recall }: Tour): Promise<TokenSet> {
  const code = recall('code');
  const answer = await send('POST', '/oauth2/token', {
    headers: basic(recall('client')),
    form: {
      grant_type: 'authorization_code',
      code: code.value,
      redirect_uri: redirectUri,
      code_verifier: code.verifier,
    },
  });
  return expectJson<TokenSet>(answer, 200);
}
