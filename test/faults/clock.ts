/** Everything with a lifetime, before and after the clock moves: nothing lives forever or expires too early. */

import { decodeJwt } from 'jose';
import { openTestApp, type TestApp } from '../support/app.ts';
import { purgeAll } from '../support/purge.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  makeUser,
  password,
  type RegisteredClient,
  redeem,
  refresh,
  registerClient,
  signInForCode,
  walk,
} from '../support/sign-in.ts';
import type { DatabaseKind } from '../support/stores.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const codeMilliseconds = minute;
/** Of the wrong passwords that close sign-in, and how long it stays closed. */
const guesses = 10;
const closedMilliseconds = 15 * minute;

/** Moves of the clock, in milliseconds; `startsAt` and `zone` where they matter. */
export interface Move {
  readonly title: string;
  readonly by: number;
  readonly startsAt?: number;
  readonly zone?: string;
}

export const moves: readonly Move[] = [
  { title: 'an hour ahead', by: hour },
  { title: 'five minutes back', by: -5 * minute },
  { title: 'an hour back', by: -hour },
  // In Berlin the clock goes from 02:00 to 03:00, and from 03:00 to 02:00, at 01:00 UTC.
  { title: 'to summer time', by: 2 * minute, startsAt: Date.UTC(2027, 2, 28, 0, 59), zone: 'Europe/Berlin' },
  { title: 'from summer time', by: 2 * minute, startsAt: Date.UTC(2027, 9, 31, 0, 59), zone: 'Europe/Berlin' },
  { title: 'beyond 32 bits of seconds', by: 2 * minute, startsAt: 2 ** 31 * second - minute },
];

/** Something that lives from when it was made to `endsAt`. */
interface Living {
  readonly title: string;
  readonly endsAt: number;
  isAlive(): Promise<boolean>;
}

/** What the service did against the rules around one move, in words. */
export async function findAnomalies(database: DatabaseKind, move: Move): Promise<string[]> {
  const zone = process.env['TZ'];
  if (move.zone) process.env['TZ'] = move.zone;
  const settings = { 'grant.password': 'on', 'limit.sign-in': 'off', 'limit.client-auth': 'off' };
  const app = await openTestApp(database, { settings });
  // Lifetimes are checked exactly at their end.
  using _ = app.services.clock.hold();
  try {
    return await moveThrough(app, move);
  } finally {
    await app.dispose();
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
}

async function moveThrough(app: TestApp, { by, startsAt }: Move): Promise<string[]> {
  const { clock, store } = app.services;
  if (startsAt !== undefined) clock.advance(startsAt - clock.now());
  const anomalies: string[] = [];
  const client = await registerClient(app);
  const locked = await makeUser(app, client.app_id);
  const closedAt = clock.now();
  for (let count = 0; count < guesses; count += 1) await signInWith(app, client, locked.email, 'wrong');
  const rotated = await rotateOnce(app, client);
  const redeemEarlier = await makeCode(app, client);
  const living = await makeLiving(app, client, 'from before');

  clock.advance(by);
  if ((await redeemEarlier()) !== by < codeMilliseconds) anomalies.push('a code from before the jump');
  const redeemLater = await makeCode(app, client);
  living.push(...(await makeLiving(app, client, 'from after')));
  anomalies.push(...(await findStrays(app, living)));
  // A retry after the grace period must not count as one because the clock was set back.
  if (by <= -minute && (await refresh(app, client, rotated)).status === 200)
    anomalies.push('a grace as long as the jump');
  clock.advance(codeMilliseconds);
  if (await redeemLater()) anomalies.push('a code that does not expire');
  for (const { endsAt } of living.toSorted((one, other) => one.endsAt - other.endsAt)) {
    for (const at of [endsAt - second, endsAt]) {
      if (at <= clock.now()) continue;
      clock.advance(at - clock.now());
      await purgeAll(store, clock.now());
      const due = living.filter((one) => Math.abs(one.endsAt - clock.now()) <= second);
      anomalies.push(...(await findStrays(app, due)));
    }
    const opens = closedAt + closedMilliseconds;
    if (clock.now() > opens && (await signInWith(app, client, locked.email, password)) !== 200) {
      anomalies.push('a lockout that does not end');
    }
  }
  return [...anomalies, ...(await findStrays(app, living))];
}

/** What lives although its time is over, and what does not although it is not. */
async function findStrays({ services: { clock } }: TestApp, living: readonly Living[]): Promise<string[]> {
  const strays: string[] = [];
  for (const { title, endsAt, isAlive } of living) {
    const [alive, due] = [await isAlive(), clock.now() < endsAt];
    if (alive !== due)
      strays.push(`${title} ${alive ? 'lives on' : 'is dead'} ${endsAt - clock.now()} ms before its end`);
  }
  return strays;
}

async function signInWith(app: TestApp, client: RegisteredClient, email: string | null, word: string): Promise<number> {
  const { headers, form } = clientAuthentication(client);
  const attempt = { ...form, grant_type: 'password', username: email ?? '', password: word, scope: 'openid' };
  return (await app.send('POST', '/oauth2/token', { headers, form: attempt })).status;
}

/** A refresh token that was used once; its successor is live. */
async function rotateOnce(app: TestApp, client: RegisteredClient): Promise<string> {
  const user = await makeUser(app, client.app_id);
  const tokens = await redeem(app, client, (await signInForCode(app, client, user)).get('code') ?? '');
  await refresh(app, client, tokens.refresh_token);
  return tokens.refresh_token;
}

/** One of each kind of what has a life, made now. */
async function makeLiving(app: TestApp, client: RegisteredClient, when: string): Promise<Living[]> {
  const { clock } = app.services;
  const madeAt = clock.now();
  const user = await makeUser(app, client.app_id);
  const jar = new CookieJar();
  const tokens = await redeem(app, client, (await signInForCode(app, client, user, {}, jar)).get('code') ?? '');
  const { headers, form } = clientAuthentication(client);
  const isActive = async (token: string) =>
    (await app.send('POST', '/oauth2/introspect', { headers, form: { ...form, token } })).body.active === true;
  const bearer = await app.bearer('read_all');
  const isBearer = async () => {
    const answer = await app.send('GET', '/auth/rate_limit', { headers: { authorization: `Bearer ${bearer}` } });
    return answer.status === 200;
  };
  const { iat = 0, exp = 0 } = decodeJwt(tokens.id_token);
  return [
    { title: `an access token ${when}`, endsAt: madeAt + hour, isAlive: () => isActive(tokens.access_token) },
    { title: `a refresh token ${when}`, endsAt: madeAt + 14 * day, isAlive: () => isActive(tokens.refresh_token) },
    { title: `a bearer ${when}`, endsAt: madeAt + 10 * hour, isAlive: isBearer },
    sessionOf(app, client, jar, when, madeAt),
    {
      title: `an id token ${when}`,
      endsAt: (Math.floor(madeAt / second) + 3600) * second,
      isAlive: async () => iat === Math.floor(madeAt / second) && clock.now() < exp * second,
    },
  ];
}

/** An unused session ends after half an hour; a check within its first minute does not count as use. */
function sessionOf(app: TestApp, client: RegisteredClient, jar: CookieJar, when: string, madeAt: number): Living {
  const endsAt = madeAt + 30 * minute;
  const { clock } = app.services;
  return {
    title: `a session ${when}`,
    endsAt,
    isAlive: async () => {
      if (clock.now() >= madeAt + minute && clock.now() < endsAt) return true;
      const { answer } = await walk(app, jar, authorizePath(client, { prompt: 'none' }));
      return /[?&]code=/.test(String(answer.headers['location']));
    },
  };
}

/** A way to redeem a code that was made now, and whether it can be. */
async function makeCode(app: TestApp, client: RegisteredClient): Promise<() => Promise<boolean>> {
  const query = await signInForCode(app, client, await makeUser(app, client.app_id));
  return () =>
    redeem(app, client, query.get('code') ?? '').then(
      () => true,
      () => false,
    );
}
