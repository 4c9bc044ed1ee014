import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { admit, type Verdict } from '../opening/admit.ts';
import type { OpenRequest } from './authorization-request.ts';
import { needsConsent } from './consent.ts';
import { wayOf } from './due.ts';
import type { Granted } from './finish.ts';
import { areHooksDue, noteUse } from './hooks-on-sso.ts';
import { askedOfRegistration, isStillRegistered } from './still-registered.ts';

/**
 * Checks that the session has not changed since the request was read. Runs first in the transaction that ends the
 * request.
 */
export async function admitSession(
  services: Pick<Services, 'clock'>,
  tx: StoreVerbs,
  account: Account,
  request: OpenRequest,
  granted: Granted,
): Promise<Verdict<SessionRecord>> {
  const { session, user } = granted;
  if (await areHooksDue({ store: tx }, account, { request, ...granted })) return { at: 'outdated' };
  const verdict = await admit(services, tx, account, { by: 'session', session, user }, wayOf(request, user));
  if (verdict.at !== 'end') return verdict;
  const asked = askedOfRegistration(request.record.parameters);
  if (!isStillRegistered(verdict.client, asked)) return { at: 'outdated' };
  // Consent may have been withdrawn meanwhile; consent given in this request ends with the request.
  if (await needsConsent({ store: tx }, account, request, verdict.user, verdict.servers)) return { at: 'outdated' };
  await noteUse(tx, account, { request, session, user });
  return verdict;
}
