/** Users in front of the sign-in page who have a passkey. */

import type { TestApp } from '../../support/app.ts';
import { type GivenPasskey, givePasskey, type Lies, passkeyOptionsOf } from '../../support/passkeys.ts';
import { redeem, submit, type Walk } from '../../support/sign-in.ts';
import { codeOf, type Setting, settle } from './browsing.ts';
import { claimsOf } from './tokens.ts';

export interface Ready {
  readonly setting: Setting;
  readonly given: GivenPasskey;
  readonly at: Walk;
}

/** A new user with a passkey at the sign-in page. */
export async function openSignIn(app: TestApp, how: { readonly backupEligible?: boolean } = {}): Promise<Ready> {
  const setting = await settle(app);
  return { setting, given: await givePasskey(app, setting.user, how), at: await setting.begin() };
}

/** The answer of the user's authenticator to the page. */
export function answerFor({ answer }: Walk, { passkey }: GivenPasskey, lies?: Lies): string {
  return passkey.get(passkeyOptionsOf(answer.text), lies);
}

/** Consents; returns the claims of the ID token. */
export async function claimsAfter(app: TestApp, at: Walk, { client }: Setting) {
  const tokens = await redeem(app, client, codeOf(await submit(app, at, { decision: 'allow' })));
  return claimsOf(tokens.id_token);
}
