/** Why a user cannot sign in, as far as it can be said now, and what refused them before. */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import { type UserRecord, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import type { AuditedEvent } from '../audit/list.ts';
import { afterReplacing, findStandingFailure, findStatusFailure } from '../login/standing.ts';
import { isPasswordClosed } from '../policies/lockout.ts';
import { closedWords, findClosedCodes } from '../second-factor/closed-codes.ts';
import { userStatusNames } from '../users/user-status.ts';
import { type Named, nameApp, nameUser, whom } from './named.ts';
import { findEvents, type Story, tellEvent } from './story.ts';
import { type Explained, explain } from './words.ts';

/** Refusals of the user that are told, newest first, and of the app: strangers can cause those. */
const mostTold = { own: 10, ofApp: 3 };

export interface ToldUser {
  readonly status: string;
  /** What would refuse a sign-in now. */
  readonly now: readonly Explained[];
  readonly before: readonly Story[];
}

/** `client`: the app that they want to use; null for none in particular. */
export async function tellUser(
  services: Pick<Services, 'store' | 'clock'>,
  account: Account,
  user: UserRecord,
  client: ClientRecord | null,
): Promise<ToldUser> {
  const { store, clock } = services;
  const named = {
    account: account.subdomain,
    user: nameUser(user),
    app: client && nameApp(client),
    clientId: null,
    address: null,
    hook: null,
  };
  // Whoever has the old password is asked for a new one.
  const failure = findStatusFailure(afterReplacing(user));
  // Told beside the status: whoever mends that would be refused by this.
  const active = { ...user, status: userStatuses.active };
  const access = client && (await findStandingFailure(store, account, active, client));
  const isClosed = isPasswordClosed(user, clock.now());
  const now = [failure?.code ?? null, access?.code ?? null, isClosed ? 'sign_in.failed closed' : null]
    .map((key) => explain([key], named))
    .concat(await explainClosed(services, account, user, named))
    .filter((one) => one !== null);
  const own = await findEvents(services, account, [{ field: 'user_id', test: 'is', values: [user.id] }]);
  // What refuses the app refuses everybody.
  const ofApp = client
    ? await findEvents(services, account, [
        { field: 'app_id', test: 'is', values: [client.appId] },
        { field: 'action', test: 'is', values: ['authorization.refused'] },
      ])
    : [];
  const stories = [
    ...(await tellSome(services, account, own, mostTold.own)),
    ...(await tellSome(services, account, ofApp, mostTold.ofApp)),
  ];
  return { status: userStatusNames[user.status], now, before: stories.toSorted((a, b) => b.at - a.at) };
}

/** A second factor that is closed now: a user whose device makes codes is always asked for one. */
async function explainClosed(
  services: Pick<Services, 'store' | 'clock'>,
  account: Account,
  user: UserRecord,
  named: Named,
): Promise<Explained | null> {
  const closed = await findClosedCodes(services, account, user.id);
  const explained = closed && explain(['mfa.failed closed'], named);
  if (!explained) return null;
  const cause = `No code of the second factor of ${whom(named)} is checked ${closedWords(closed)}. There were too many wrong ones.`;
  return { ...explained, cause };
}

/** The newest refusals among events that are sorted from new to old. */
async function tellSome(
  services: Pick<Services, 'store' | 'clock'>,
  account: Account,
  events: readonly AuditedEvent[],
  most: number,
): Promise<readonly Story[]> {
  const told: Story[] = [];
  for (const event of events) {
    const story = await tellEvent(services, account, event);
    if (story) told.push(story);
    if (told.length === most) break;
  }
  return told;
}
