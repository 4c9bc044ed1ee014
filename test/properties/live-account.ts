/** Live values of the account pages: a browser that is signed in, and what its forms send. */

import type { UserRecord } from '../../src/store/users.ts';
import { chosen, goodPassword } from '../support/invites.ts';
import { codeAt, keyOf } from '../support/second-factor.ts';
import { CookieJar, makeUser, password, readForm, submit, walk } from '../support/sign-in.ts';
import type { Pool } from './pool.ts';
import type { Plan } from './requests.ts';
import type { Taken } from './taken.ts';

interface Visitor {
  readonly user: UserRecord;
  readonly jar: CookieJar;
  readonly csrf: string;
  /** Whether it has a second factor. */
  readonly enrolled: boolean;
}

const kept = new WeakMap<Pool, Visitor[]>();

async function enter({ app }: Pool, enrolled: boolean): Promise<Visitor> {
  const user = await makeUser(app);
  const jar = new CookieJar();
  await submit(app, await walk(app, jar, '/account'), { username: user.email ?? '', password });
  if (enrolled) {
    const page = await walk(app, jar, '/account/second-factors/new');
    await submit(app, page, { otp: codeAt(keyOf(page.answer.text), app.services.clock.now()) });
  }
  const { answer } = await walk(app, jar, '/account/password');
  return { user, jar, csrf: readForm(answer.text).fields['csrf'] ?? '', enrolled };
}

async function take(pool: Pool, enrolled: boolean): Promise<Visitor> {
  const idle = kept.get(pool) ?? [];
  kept.set(pool, idle);
  const at = idle.findIndex((one) => one.enrolled === enrolled);
  return idle.splice(at, at < 0 ? 0 : 1)[0] ?? enter(pool, enrolled);
}

/** Without a session, or with another, the browser is led to the sign-in page: that is no refusal. */
const asSomebodyElse = { loose: ['cookie'], optional: ['cookie'] };

/** A page, now and then in a browser that is not signed in. */
export async function ownPage(pool: Pool, { pick }: Plan): Promise<Taken> {
  if (pick % 4 === 0) return { live: {} };
  const visitor = await take(pool, pick % 5 === 0);
  const settle = () => void kept.get(pool)?.push(visitor);
  return { live: { headers: visitor.jar.header }, user: visitor.user, ...asSomebodyElse, settle };
}

interface Wanted {
  readonly enrolled?: boolean;
  /** What the form sends beside `csrf`; in a browser whose session it is. */
  readonly fields?: (visitor: Visitor) => Promise<Readonly<Record<string, string>>>;
  /** Whether nobody can use the session or its user after that. */
  readonly endsBy?: (status: number) => boolean;
}

/** A form, filled in. */
export async function ownForm(pool: Pool, { enrolled = false, fields, endsBy }: Wanted = {}): Promise<Taken> {
  const visitor = await take(pool, enrolled);
  const body = { csrf: visitor.csrf, ...(await fields?.(visitor)) };
  return {
    live: { body, headers: visitor.jar.header },
    user: visitor.user,
    ...asSomebodyElse,
    settle: ({ status }) => {
      if (!endsBy?.(status)) kept.get(pool)?.push(visitor);
    },
  };
}

/** A new password, in place of the one that all users of the pool have. */
export function passwordChange(pool: Pool, { pick }: Plan): Promise<Taken> {
  const next = `${goodPassword} ${pick}`;
  return ownForm(pool, {
    fields: async () => ({
      ...chosen,
      current_password: password,
      new_password: next,
      new_password_confirmation: next,
    }),
    // A wrong one was counted against the user.
    endsBy: (status) => status === 303 || status === 401,
  });
}

/** The code of a new device: of the first, or of one more. */
export function newDevice(pool: Pool, { pick }: Plan): Promise<Taken> {
  return ownForm(pool, {
    enrolled: pick % 3 === 0,
    fields: async ({ jar }) => {
      const { answer } = await walk(pool.app, jar, '/account/second-factors/new');
      return { otp: codeAt(keyOf(answer.text), pool.app.services.clock.now()) };
    },
    endsBy: (status) => status < 400,
  });
}

/** The page for a forgotten password: no session, and a token that the browser's cookie is good for. */
export async function forgotten({ app }: Pool): Promise<Taken> {
  const { jar, answer } = await walk(app, new CookieJar(), '/forgot-password');
  const { csrf = '' } = readForm(answer.text).fields;
  // The answer is the same for every user.
  return { live: { body: { csrf, username: 'ada@example.com' }, headers: jar.header }, loose: ['username'] };
}

/** What time ends is not given out again. */
export function forgetVisitors(pool: Pool): void {
  kept.get(pool)?.splice(0);
}
