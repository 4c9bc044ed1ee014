/** Whether somebody is signed in, and who; renewed when a token ends. */

import { stored } from '../parts/stored.ts';
import { go } from '../routing/address.ts';
import { finishSignIn, isReturn, leaveForSignIn, resumeSession, type Session, SignInRefused } from './sign-in.ts';

export type Standing =
  | { readonly is: 'starting' }
  | { readonly is: 'open'; readonly session: Session }
  /** The page stays, with what was typed; nothing can be called. */
  | { readonly is: 'ended'; readonly session: Session; readonly somebodyElse: boolean }
  | { readonly is: 'refused'; readonly code: string; readonly words: string };

export const standing = stored<Standing>({ is: 'starting' });

/** What a door answers that asks for a person: they are sent there. */
const asksForPerson = new Set(['login_required', 'interaction_required', 'consent_required']);

export async function startSession(): Promise<void> {
  try {
    if (!isReturn()) {
      standing.set({ is: 'open', session: await resumeSession() });
      return;
    }
    const finished = await finishSignIn();
    go(finished?.back || '/console', 'replace');
    if (finished) standing.set({ is: 'open', session: finished.session });
    else await startSession();
  } catch (error) {
    if (!(error instanceof SignInRefused)) {
      standing.set({ is: 'refused', code: 'unreachable', words: 'The service did not answer.' });
    } else if (!isReturn() && asksForPerson.has(error.code)) await signIn();
    else standing.set({ is: 'refused', code: error.code, words: error.message });
  }
}

/** Leaves for the sign-in, and comes back to this address. */
export async function signIn(): Promise<void> {
  await leaveForSignIn(isReturn() ? '/console' : `${location.pathname}${location.search}`);
}

let renewal: Promise<Session | null> | null = null;

/**
 * A new token for the same administrator; null where there is none, which the page then says. Calls that come together
 * share one. Whoever else is signed in by now is not made the one whose change this was.
 */
export function renewSession(): Promise<Session | null> {
  renewal ??= renew().finally(() => {
    renewal = null;
  });
  return renewal;
}

async function renew(): Promise<Session | null> {
  const now = standing.get();
  if (now.is !== 'open' && now.is !== 'ended') return null;
  const session = await resumeSession().catch(() => null);
  const somebodyElse = session !== null && session.subject !== now.session.subject;
  if (session === null || somebodyElse) {
    standing.set({ is: 'ended', session: now.session, somebodyElse });
    return null;
  }
  standing.set({ is: 'open', session });
  return session;
}

/** Whether the signed-in administrator has one of these scopes, or the one that has all. */
export function may(...scopes: readonly string[]): boolean {
  const now = standing.get();
  if (now.is !== 'open' && now.is !== 'ended') return false;
  return now.session.scopes.has('manage_all') || scopes.some((scope) => now.session.scopes.has(scope));
}
