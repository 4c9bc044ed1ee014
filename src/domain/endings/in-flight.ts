import type { InFlight } from '../../store/authorizations.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';

/**
 * Ends what was approved or begun and has come to nothing yet: codes, devices that were let in, sign-ins in progress that
 * gave a first factor or a decision (but for the one with the digest `except`). Part of the transaction that ends what it
 * rests on. A pushed request is none of it: it approves nothing, and its user is asked when it is used.
 */
export async function endInFlight(
  tx: Pick<StoreVerbs, 'authorizations' | 'deviceCodes'>,
  { id: accountId }: Pick<Account, 'id'>,
  whose: InFlight,
  except?: string,
): Promise<void> {
  await tx.authorizations.endRequests(accountId, whose, except);
  await tx.authorizations.endCodes(accountId, whose);
  await tx.deviceCodes.endAllowed(accountId, whose);
}
