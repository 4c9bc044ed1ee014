/** Browsers and users whose sign-ins take more than a password. */

import { passkeyOptionsOf, TestPasskey } from '../../support/passkeys.ts';
import { codeAt } from '../../support/second-factor.ts';
import { type CookieJar, formTo, walk } from '../../support/sign-in.ts';
import type { Ask, Caller } from './caller.ts';
import { newSigner, type Signer, signIn } from './sign-ins.ts';

/** A user, and the browser in which they have just signed in. */
export async function newBrowser(caller: Caller): Promise<{ readonly user: Signer; readonly jar: CookieJar }> {
  const user = await newSigner(caller);
  return { user, jar: await signIn(caller, user) };
}

/** Gives a user an authenticator app; answers what it shows. */
async function giveFactor(caller: Caller, { id }: Signer): Promise<() => string> {
  const asked = { factor_id: 1, display_name: 'Phone', verified: true };
  const { factor_data: data } = await caller.manage('POST', `/mfa/users/${id}/registrations`, asked);
  return () => codeAt(data.verification_token, Date.now());
}

/** A user with an authenticator app. */
export async function withFactor(caller: Caller): Promise<{ readonly user: Signer; readonly code: () => string }> {
  const user = await newSigner(caller);
  return { user, code: await giveFactor(caller, user) };
}

/** The form by which a user adds a passkey. */
export async function withPasskeyForm(caller: Caller) {
  const { user, jar } = await newBrowser(caller);
  const { answer } = await walk(caller, jar, '/account/passkeys');
  const passkey = new TestPasskey(`http://${caller.grown.host}`);
  const credential = passkey.create(passkeyOptionsOf(answer.text));
  const path = '/account/passkeys';
  const form = { ...formTo({ answer }, path), credential, name: 'Laptop' };
  const ask: Ask = { path, sent: { headers: jar.header, form } };
  return { user, jar, passkey, ask };
}

/** A user with a passkey, and the browser in which it was made. */
export async function withPasskey(caller: Caller) {
  const { ask, ...made } = await withPasskeyForm(caller);
  made.jar.keep(await caller.send('POST', ask.path, ask.sent));
  return made;
}

/** A user who is asked for a second factor; a passkey may be one. */
export async function withBoth(caller: Caller) {
  const made = await withPasskey(caller);
  await giveFactor(caller, made.user);
  return made;
}
