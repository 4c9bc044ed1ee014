/** One cell of the table, tried once: the ending before the use, or beside it. */

import { setTimeout as delay } from 'node:timers/promises';
import { type EndingName, endings } from './endings.ts';
import { type ThingName, things, type Use } from './in-flight.ts';
import { ask, isActive, openStage, type Stage, type Theatre, type Tokens } from './stage.ts';

/** `survived`: tokens came of it, or live, that are good for something. */
export type Tried = 'ended' | 'survived';

const mostHeadStart = 12;

/** Those of one session, of which a device that has its tokens is no part. */
const ofOneSession: readonly EndingName[] = [
  'sign-out',
  'sign-out after a second sign-in',
  'another user signs in',
  'one session ended',
  'one session ended by an operator',
];

/** How the trail calls those endings that leave something. */
const endingActions: readonly string[] = [
  'sign_out.succeeded',
  'session.ended',
  'session.all_ended',
  'user.changed',
  'grant.revoked',
];

async function begin(theatre: Theatre, ending: EndingName, thing: ThingName) {
  const defaults = { restore: undefined, byRole: false, twice: false };
  const { byRole, twice, prepare, restore } = { ...defaults, ...endings[ending] };
  const { isOffline = false, ...flight } = { isOffline: false, ...things[thing] };
  const stage = await openStage(theatre, { byRole, isOffline, twice });
  const use = await flight.prepare(stage);
  const end: () => Promise<unknown> = await prepare(stage);
  return { stage, use, end, restore: async () => restore?.(stage) };
}

/** Whether anything can be done with tokens that somebody got. */
async function areGood(stage: Stage, tokens: Tokens | null): Promise<boolean> {
  if (!tokens) return false;
  if (await isActive(stage, tokens.access_token)) return true;
  const { refresh_token } = tokens;
  if (refresh_token === undefined) return false;
  return (await ask(stage, { grant_type: 'refresh_token', refresh_token })) !== null;
}

/** The ending first, then the use. */
export async function tryAfter(theatre: Theatre, ending: EndingName, thing: ThingName): Promise<Tried> {
  const { stage, use, end, restore } = await begin(theatre, ending, thing);
  await end();
  theatre.app.services.clock.advance(1000);
  await restore();
  return (await areGood(stage, await use())) ? 'survived' : 'ended';
}

/** Both at once, one of them a little later; then the use again. */
export async function tryBeside(theatre: Theatre, ending: EndingName, thing: ThingName): Promise<Tried> {
  const { stage, use, end, restore } = await begin(theatre, ending, thing);
  theatre.app.services.clock.advance(1);
  const headStart = (Math.random() * 2 - 1) * mostHeadStart;
  const [tokens] = await Promise.all([after(headStart, use), after(-headStart, end)]);
  theatre.app.services.clock.advance(1000);
  await restore();
  if (tokens && (await isLeft(stage, ending, thing, tokens))) return 'survived';
  return (await areGood(stage, await again(use, thing))) ? 'survived' : 'ended';
}

/** Whether something is left of tokens that were given at the same time, which the ending must not leave. */
async function isLeft(stage: Stage, ending: EndingName, thing: ThingName, tokens: Tokens): Promise<boolean> {
  // One that was added before the ending is its user's: only sessions end, not means.
  if (thing === 'passkey being added' && (await cameFirst(stage, 'mfa.enrolled'))) return false;
  // With its session open before the ending, which goes on, what it got after it is a new grant.
  const inSession = thing === 'half-made sign-in' && ending === 'grants revoked by an operator';
  if (inSession && !(await cameFirst(stage, 'grant.issued'))) return false;
  const ofDevice = thing === 'device code' && ofOneSession.includes(ending);
  // A grant waits while its user is suspended: its access token does not.
  const mayStay = ofDevice || ending === 'suspension';
  if (!mayStay || !(await cameFirst(stage, 'grant.issued'))) return areGood(stage, tokens);
  return ending === 'suspension' && (await isActive(stage, tokens.access_token));
}

/** Whether the grant or the means was made before the ending, by the trail, whose order is that of the commits. */
async function cameFirst(
  { app: { services, account }, user }: Stage,
  making: 'grant.issued' | 'mfa.enrolled',
): Promise<boolean> {
  const newest = await services.store.events.listBefore(account.id, null, 50);
  const made = newest.find(
    ({ action, targetId, detail }) =>
      action === making && (targetId === user.id || JSON.parse(detail).user_id === user.id),
  );
  // The first of a suspension and its end.
  const ended = newest.findLast(({ action, targetId }) => endingActions.includes(action) && targetId === user.id);
  return made !== undefined && ended !== undefined && made.id < ended.id;
}

async function after<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  if (milliseconds > 0) await delay(milliseconds);
  return work();
}

/** A sign-in that left its hook is over, and a passkey that was added is there. */
function again(use: Use, thing: ThingName): Promise<Tokens | null> | null {
  return thing === 'sign-in in a hook' || thing === 'passkey being added' ? null : use();
}
