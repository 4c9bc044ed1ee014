/** Which sign-ins are recent enough to change how a user signs in. */

import type { SessionRecord } from '../../store/sessions.ts';
import type { Milliseconds } from '../../store/time.ts';
import { isOfLink } from '../login/methods.ts';

/** An attacker who finds an open browser later than this cannot take over the account. */
export const recentSeconds = 10 * 60;

/**
 * Whether the user of a session signed in within the last ten minutes. A later second factor does not count: the time
 * is that of the sign-in. A link is not enough, since it only proves access to the mailbox.
 */
export function isRecent(
  { authenticatedAt, amr }: Pick<SessionRecord, 'authenticatedAt' | 'amr'>,
  now: Milliseconds,
): boolean {
  return !isOfLink(amr) && authenticatedAt + recentSeconds * 1000 >= now;
}
