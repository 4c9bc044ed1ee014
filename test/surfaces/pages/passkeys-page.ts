/** The page of the passkeys of a user, for the modules that test it. */

import assert from 'node:assert/strict';
import type { UserRecord } from '../../../src/store/users.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { type Lies, passkeyOptionsOf, TestPasskey } from '../../support/passkeys.ts';
import { type CookieJar, readForm } from '../../support/sign-in.ts';
import { isConsent, type Setting, settle } from './browsing.ts';

export const path = '/account/passkeys';

/** A user at the page of their passkeys, with a session of that browser. */
export interface SignedIn {
  readonly one: TestApp;
  readonly setting: Setting;
  readonly user: UserRecord;
  readonly jar: CookieJar;
  /** The page as it is now. */
  look(): Promise<Answer>;
  /** Sends a form of the page, with its token unless another is given. */
  post(form: Record<string, string>, to?: string): Promise<Answer>;
}

export async function signInToPasskeys(one: TestApp): Promise<SignedIn> {
  const setting = await settle(one);
  const { jar, answer } = await setting.signIn();
  assert.ok(isConsent(answer));
  const look = () => one.send('GET', path, { headers: jar.header });
  const tokenOf = ({ text }: Answer) => readForm(text).fields['csrf'] ?? '';
  let csrf = tokenOf(await look());
  const post = async (form: Record<string, string>, to = path) => {
    const answer = await one.send('POST', to, { headers: jar.header, form: { csrf, ...form } });
    const isRaised = answer.headers['location'] === `${path}?done=passkey_added`;
    if (isRaised) {
      jar.keep(answer);
      csrf = tokenOf(await look());
    }
    return answer;
  };
  return { one, setting, user: setting.user, jar, look, post };
}

/** What an authenticator makes for the page. */
export async function makeCredential({ one, look }: SignedIn, lies?: Lies) {
  const passkey = new TestPasskey(one.account.baseUrl);
  return { passkey, credential: passkey.create(passkeyOptionsOf((await look()).text), lies) };
}

/** A passkey that was added on the page: the session is worth it. */
export async function addOne(signedIn: SignedIn) {
  const { passkey, credential } = await makeCredential(signedIn);
  assert.equal((await signedIn.post({ credential, name: 'Laptop' })).status, 303);
  const [stored] = await signedIn.one.services.store.passkeys.list(signedIn.one.account.id, signedIn.user.id);
  return { passkey, id: stored?.device.id };
}

/** The names of the passkeys on the page. */
export const namesOf = ({ text }: Answer) =>
  [...text.matchAll(/<li>\s*<p><bdi[^>]*>([^<]*)<\/bdi>/g)].map(([, name]) => name);
