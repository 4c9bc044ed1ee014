import type { InFlight } from '../../store/authorizations.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';

/**
 * Ends everything that was approved or begun but not completed: codes, approved devices, and sign-ins in progress with
 * a first factor or a decision (except the one with the digest `except`). Part of the transaction that ends what they
 * depend on. Pushed requests stay: they approve nothing, and the user is asked when they are used.
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
