/** Whether evidence that was checked before still holds for its user, who is read again and locked. */

import type { Services } from '../../services.ts';
import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { isApprovedStill } from '../login/approval.ts';
import type { Way } from '../login/due.ts';
import { isActive } from '../tokens/access-token.ts';
import { isImportedDigest } from '../users/imported-passwords.ts';
import type { Evidence, FirstEvidence, MoreShown } from './evidence.ts';

export interface TruthServices {
  /** The transaction in which something would be opened. */
  readonly store: StoreVerbs;
  readonly clock: Services['clock'];
}

/** False after a replaced password, a removed passkey, a sign-out everywhere, or a withdrawn approval or token. */
export async function isStillTrue(
  { store: tx, clock }: TruthServices,
  account: Account,
  evidence: Evidence,
  { client }: Way,
  user: UserRecord,
  servers: () => Promise<readonly LinkedServer[]>,
): Promise<boolean> {
  if ('checkedAt' in evidence && wasSignedOut(evidence, user)) return false;
  switch (evidence.by) {
    case 'password':
    case 'link':
      return isSamePassword(evidence.user, user);
    case 'passkey': {
      const devices = await tx.secondFactors.listDevices(account.id, user.id);
      return devices.some(({ id }) => id === evidence.deviceId);
    }
    case 'second_factor':
    case 'new_password':
      return isSamePassword(evidence.user, user) && (user.passwordChangedAt ?? 0) <= evidence.checkedAt;
    case 'session':
      return true;
    case 'code':
    case 'device_code':
      return isApprovedStill(tx, account, client, user, evidence.approval, servers);
    case 'token': {
      const found = await tx.grants.findAccessToken(account.id, evidence.tokenId);
      return found !== null && isActive(found, clock.now());
    }
  }
}

/** A sign-out everywhere or a suspension also ends sign-ins in progress, even if the suspension is over again. */
function wasSignedOut({ user: checked, checkedAt }: FirstEvidence | MoreShown, { signedOutAt }: UserRecord): boolean {
  return checked.signedOutAt !== signedOutAt || (signedOutAt ?? 0) > checkedAt;
}

/**
 * If another sign-in has rehashed an imported password meanwhile, it is still the same password: its date has not
 * changed.
 */
function isSamePassword(checked: UserRecord, now: UserRecord): boolean {
  if (checked.passwordDigest === now.passwordDigest) return true;
  const { passwordDigest, passwordChangedAt } = checked;
  return (
    passwordDigest !== null &&
    isImportedDigest(passwordDigest) &&
    now.passwordDigest !== null &&
    !isImportedDigest(now.passwordDigest) &&
    passwordChangedAt === now.passwordChangedAt
  );
}
