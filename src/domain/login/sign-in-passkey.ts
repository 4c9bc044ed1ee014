import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import type { RunServices } from '../hooks/one-run.ts';
import type { Purpose } from '../passkeys/challenge.ts';
import { passkeyOptions, type UsedPasskey, usePasskey } from '../passkeys/use-passkey.ts';
import { type BrowserState, findOpenRequest, type OpenRequest, requireCsrf } from './authorization-request.ts';
import type { PasswordAttempt } from './check-password.ts';
import { countFailures } from './count-failures.ts';
import { type Advanced, walkForRequest } from './sign-in.ts';

type SignInServices = RunServices & Pick<Services, 'random' | 'passkeys' | 'clientDocuments'>;

/** The form that the page sends for a passkey. */
export interface GivenPasskey extends Pick<PasswordAttempt, 'userAgent'> {
  /** The browser's answer, as JSON. */
  readonly answer: string;
  /** The address that the form came from. */
  readonly source: string;
}

type PasskeySignInResult =
  | Advanced
  /** The answer was wrong; the page does not say how. */
  | { readonly outcome: 'wrong'; readonly request: OpenRequest };

function purposeOf({ record }: OpenRequest): Purpose {
  return { of: 'sign-in', digest: record.digest };
}

/** The WebAuthn options of the sign-in page: any passkey that the browser has for this host. */
export function signInPasskeyOptions(
  services: Pick<Services, 'vault' | 'random' | 'clock' | 'passkeys'>,
  account: Account,
  request: OpenRequest,
): string {
  return passkeyOptions(services, account, purposeOf(request), []);
}

/**
 * Signs in the user whose passkey the browser presented; name and password are not needed. A passkey is more than one
 * factor by itself, so no second factor follows. Session, browser secret and CSRF tokens change. A password that is too
 * old does not matter, because it is not used; a password that was marked as expired must be replaced first. Throws as
 * `signIn` does.
 */
export async function signInWithPasskey(
  services: SignInServices,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  given: GivenPasskey,
): Promise<PasskeySignInResult> {
  const request = await findOpenRequest(services, account, browser);
  requireCsrf(browser, csrf);
  const checkedAt = services.clock.now();
  const used = await tryPasskey(services, account, request, given);
  if (!used) return { outcome: 'wrong', request };
  const { user } = used;
  const { source, userAgent } = given;
  const seen = { username: user.email ?? user.username ?? '', source, userAgent };
  const evidence = { by: 'passkey', checkedAt, ...used } as const;
  return (await walkForRequest(services, account, browser, request, evidence, seen)) ?? { outcome: 'wrong', request };
}

/** The user of the passkey, or null. A wrong answer counts as a failed sign-in of its address, not of a user. */
function tryPasskey(
  services: SignInServices,
  account: Account,
  request: OpenRequest,
  { answer, source }: GivenPasskey,
): Promise<UsedPasskey | null> {
  return countFailures(services.limits, account, source, async () => {
    const attempt = { answer, purpose: purposeOf(request), userId: null };
    const tried = await usePasskey(services, account, attempt, async (_tx, used) => used);
    if (tried.right) return tried.result;
    await recordEvent(services.store, services, account, {
      action: 'sign_in.failed',
      actor: { type: 'user', id: null },
      target: { type: 'user', id: tried.userId },
      detail: { reason: 'wrong_passkey' },
    });
    return null;
  });
}
