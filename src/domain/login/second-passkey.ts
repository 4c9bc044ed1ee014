/** A passkey as the second factor, after the password. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import type { Purpose } from '../passkeys/challenge.ts';
import { passkeyOptions, usePasskey } from '../passkeys/use-passkey.ts';
import { makesCodes } from '../second-factor/kinds.ts';
import type { BrowserState } from './authorization-request.ts';
import { countFailures } from './count-failures.ts';
import { passkeyMethods } from './methods.ts';
import type { DueFactor } from './pending.ts';
import { advance, requireDue, type SecondFactorResult } from './second-factor.ts';
import type { GivenPasskey } from './sign-in-passkey.ts';

function purposeOf({ request }: DueFactor): Purpose {
  return { of: 'second factor', digest: request.record.digest };
}

/** How the user can give the second factor that is due. */
export interface FactorWays {
  /** Whether with a code. */
  readonly codes: boolean;
  /** The WebAuthn options that ask the browser for one of the user's passkeys; null if the user has none. */
  readonly passkeyOptions: string | null;
}

export async function findFactorWays(
  services: Pick<Services, 'store' | 'vault' | 'random' | 'clock' | 'passkeys'>,
  account: Account,
  due: DueFactor,
): Promise<FactorWays> {
  const { store } = services;
  const devices = await store.secondFactors.listDevices(account.id, due.user.id);
  const codes = devices.some(makesCodes);
  if (devices.every(makesCodes)) return { codes, passkeyOptions: null };
  const allowed = await store.passkeys.list(account.id, due.user.id);
  return { codes, passkeyOptions: passkeyOptions(services, account, purposeOf(due), allowed) };
}

/** Takes one of the user's passkeys and continues as `giveSecondFactor` does. Throws as that does. */
export async function giveSecondPasskey(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'limits' | 'passkeys' | 'clientDocuments'>,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  { answer, source }: Pick<GivenPasskey, 'answer' | 'source'>,
): Promise<SecondFactorResult> {
  const due = await requireDue(services, account, browser, csrf, 'second_factor');
  const advanced = await countFailures(services.limits, account, source, async () => {
    const attempt = { answer, purpose: purposeOf(due), userId: due.user.id };
    const tried = await usePasskey(services, account, attempt, (tx, used) =>
      advance(services, tx, account, browser, due, passkeyMethods(used)),
    );
    if (tried.right) return tried.result;
    const about = { type: 'user', id: due.user.id } as const;
    const detail = { reason: 'wrong_passkey' } as const;
    await recordEvent(services.store, services, account, { action: 'mfa.failed', actor: about, target: about, detail });
    return null;
  });
  return advanced ?? { outcome: 'refused', due, problem: 'passkey' };
}
