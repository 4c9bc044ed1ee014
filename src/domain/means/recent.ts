/** Which sign-ins are new enough to change how somebody signs in. */

import type { SessionRecord } from '../../store/sessions.ts';
import type { Milliseconds } from '../../store/time.ts';
import { isOfLink } from '../login/methods.ts';

/** Whoever finds an open browser later than that cannot take the account over. */
export const recentSeconds = 10 * 60;

/**
 * Whether the user of a session signed in within the last ten minutes. A second factor that was shown since makes no
 * session newer: the time is that of the sign-in. A link is not enough, since it shows the mailbox alone.
 */
export function isRecent(
  { authenticatedAt, amr }: Pick<SessionRecord, 'authenticatedAt' | 'amr'>,
  now: Milliseconds,
): boolean {
  return !isOfLink(amr) && authenticatedAt + recentSeconds * 1000 >= now;
}
