/** What the words name, and the commands that they tell: as a shell takes them, with nothing left to fill in. */

import type { ClientRecord } from '../../store/clients.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord } from '../../store/users.ts';
import { displayName } from '../clients/represent-metadata.ts';

export interface Named {
  /** Null if the refusal is about nobody who is known. */
  readonly user: NamedUser | null;
  readonly app: NamedApp | null;
  /** What was sent; null for nothing. */
  readonly clientId: string | null;
  readonly address: string | null;
  readonly hook: string | null;
  readonly account: string;
}

/** As an operator knows them, and the options that name them on the command line; none for one who was removed. */
interface NamedUser {
  readonly name: string;
  readonly options: readonly string[];
  /** Until when no link to a forgotten password goes to the address; null or absent: it may be used. */
  readonly heldUntil?: Milliseconds | null;
}

interface NamedApp {
  readonly name: string;
  /** Null for one that was removed. */
  readonly id: number | null;
  readonly redirectUris: readonly string[];
}

export function nameUser({
  id,
  email,
  username,
  emailHeldUntil: heldUntil,
}: Pick<UserRecord, 'id' | 'email' | 'username' | 'emailHeldUntil'>): NamedUser {
  if (email !== null) return { name: email, options: ['--email', email], heldUntil };
  return username === null
    ? { name: `the user ${id}`, options: [] }
    : { name: username, options: ['--username', username] };
}

export function nameApp(client: ClientRecord): NamedApp {
  const { appId: id, redirectUris } = client;
  return { name: `${displayName(client)} (app ${id})`, id, redirectUris };
}

export function whom({ user }: Named): string {
  return user?.name ?? 'the user';
}

export function which({ app }: Named): string {
  return app?.name ?? 'the app';
}

/** A command with the account of the refusal. */
export function command({ account }: Pick<Named, 'account'>, ...words: readonly string[]): string {
  return ['gatehouse', ...words.map(quoted), '--account', account].join(' ');
}

/** A command about the user; `other`: what is to be done where nobody can be named. */
export const forUser = (named: Named, told: string, words: readonly string[], other: string) =>
  named.user === null || named.user.options.length === 0
    ? other
    : `${told}: ${command(named, ...words, ...named.user.options)}.`;

/** Names are chosen by others, and may have characters that a shell obeys. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
