/** Live values of the deprecated surfaces, and of what an invite link leads to. */

import { requireInviteLink } from '../../src/domain/users/invite-links.ts';
import type { UserRecord } from '../../src/store/users.ts';
import { chosen } from '../support/invites.ts';
import { CookieJar, makeUser, password, readForm, submit, walk } from '../support/sign-in.ts';
import { setUser } from '../support/users.ts';
import type { Pool } from './pool.ts';
import type { Plan } from './requests.ts';
import type { Taken } from './taken.ts';

/** What the requests of one account share, or give back. */
interface Kept {
  readonly users: UserRecord[];
  readonly invited: Invited[];
  readonly sessions: { readonly jar: CookieJar; readonly user: UserRecord }[];
}

interface Invited {
  readonly user: UserRecord;
  readonly token: string;
}

const kept = new WeakMap<Pool, Kept>();

function keptOf(pool: Pool): Kept {
  const known = kept.get(pool);
  if (known) return known;
  const made: Kept = { users: [], invited: [], sessions: [] };
  kept.set(pool, made);
  return made;
}

/** A key with the e-mail address and the password of a user. */
export async function delegated(pool: Pool): Promise<Taken> {
  const { users } = keptOf(pool);
  const user = users.pop() ?? (await makeUser(pool.app));
  return {
    live: { query: { api_key: await pool.apiKey(), email: user.email ?? '', password } },
    user,
    settle: ({ text }) => {
      // A wrong password was counted against the user.
      if (text.includes('<authenticated>true<')) users.push(user);
    },
  };
}

/** Whom a link is for, and, where the body says who calls, the key. */
export async function inviteRequest(pool: Pool, withKey: boolean): Promise<Taken> {
  const { users } = keptOf(pool);
  const user = users.pop() ?? (await makeUser(pool.app));
  const key = withKey ? { api_key: await pool.apiKey() } : {};
  return { live: { body: { ...key, email: user.email ?? '' } }, settle: () => void users.push(user) };
}

async function inviteSomebody({ app }: Pool, isLocked = false): Promise<Invited> {
  const user = await makeUser(app, undefined, { password: undefined });
  if (isLocked) await setUser(app.services, app.account, user.id, { status: 'locked' });
  const link = await requireInviteLink(app.services, app.account, user.email ?? '');
  return { user, token: new URL(link).searchParams.get('token') ?? '' };
}

/** A link that is looked at, and not used up by it; now and then for a locked user, unless more is wrong. */
export async function openInvite(pool: Pool, { freedom, pick }: Plan): Promise<Taken> {
  if (freedom !== 'example' && pick % 4 === 0) {
    const { token } = await inviteSomebody(pool, true);
    return { live: { query: { token } } };
  }
  const { invited } = keptOf(pool);
  const one = invited.pop() ?? (await inviteSomebody(pool));
  return { live: { query: { token: one.token } }, user: one.user, settle: () => void invited.push(one) };
}

/** The form of a link, filled in, in the browser that it was shown in. */
export async function filledInvite(pool: Pool, { freedom, pick }: Plan): Promise<Taken> {
  const { user, token } = await inviteSomebody(pool);
  const form = await walk(pool.app, new CookieJar(), `/password/reset?token=${token}`);
  const { answer, jar } = form;
  const { csrf = '' } = readForm(answer.text).fields;
  const headers = jar.header;
  // Now and then it was sent before, unless that would be one thing more that is wrong.
  if (freedom !== 'example' && pick % 4 === 0) await submit(pool.app, form, chosen);
  return { live: { body: { token, csrf, ...chosen }, headers }, user };
}

/** A browser that is signed in, for one request alone. */
export async function takeSession(pool: Pool) {
  const { sessions } = keptOf(pool);
  const session = sessions.pop() ?? (await acceptSomebody(pool));
  return { ...session, giveBack: () => void sessions.push(session) };
}

/** A browser that is signed in. */
export async function signedInBrowser(pool: Pool): Promise<Taken> {
  const { user, jar, giveBack } = await takeSession(pool);
  const cookies = [...jar.cookies].sort(([one], [other]) => other.localeCompare(one));
  // The session stands last, where a changed header changes it.
  const cookie = cookies.map(([name, value]) => `${name}=${value}`).join('; ');
  return {
    live: { headers: { cookie } },
    user,
    expires: true,
    settle: ({ status }) => {
      if (status === 200) giveBack();
    },
  };
}

async function acceptSomebody(pool: Pool) {
  const { user, token } = await inviteSomebody(pool);
  const form = await walk(pool.app, new CookieJar(), `/password/reset?token=${token}`);
  const { jar } = await submit(pool.app, form, chosen);
  return { user, jar };
}

/** What time ends is not given out again. */
export function forgetLegacy(pool: Pool): void {
  kept.get(pool)?.sessions.splice(0);
}
