/** Which process gives up its place when all places are taken. */

import type { Member } from './member.ts';

/** If all are busy, an account's process makes room for another's after this time. */
const turnMilliseconds = 1000;

export interface Place {
  readonly member: Member;
  readonly bornAt: number;
  /** When it was given to its account. */
  boundAt: number;
  usedAt: number;
}

export function isIdle(member: Member): boolean {
  return member.isReady() && member.underWay() === 0 && !member.isRetired();
}

/** Retires the process that has been idle longest, at least since `before`. */
export function retireLeastUsed(places: ReadonlySet<Place>, before = Number.POSITIVE_INFINITY): void {
  // One that is already ending makes enough room.
  if ([...places].some(({ member }) => member.isRetired() && member.underWay() === 0)) return;
  const idle = [...places].filter(({ member }) => isIdle(member)).toSorted((one, other) => one.usedAt - other.usedAt);
  if (idle[0] && idle[0].usedAt < before) idle[0].member.retire();
}

/** Even if all are busy: then one takes no more runs after its turn, so that no account shuts out others. */
export function makeRoom(places: ReadonlySet<Place>): void {
  retireLeastUsed(places);
  if ([...places].some(({ member }) => member.isRetired())) return;
  const before = performance.now() - turnMilliseconds;
  const [longest] = [...places].toSorted((one, other) => one.boundAt - other.boundAt);
  if (longest && longest.boundAt < before) longest.member.retire();
}
