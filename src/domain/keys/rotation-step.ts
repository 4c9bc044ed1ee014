/** How far the rotation of an account's keys has come, for operators. */

import type { KeyAlgorithm, SigningKeyRecord } from '../../store/keys.ts';
import type { Milliseconds } from '../../store/time.ts';
import { day } from '../durations.ts';
import { isPublished } from './signing-keys.ts';

/**
 * `signing`: one key, which signs. `published`: its successor is announced. `replaced`: the successor signs, and the
 * former key still verifies. `overdue`: it has signed for longer than a key should. `missing`: none can be replaced.
 */
export const rotationSteps = ['signing', 'published', 'replaced', 'overdue', 'missing'] as const;

export type RotationStep = (typeof rotationSteps)[number];

/** A key gets a successor after 89 days, which signs a day later. */
const longestMilliseconds = 90 * day;

/** `keys`: all of the account, oldest first. */
export function rotationStepOf(keys: readonly SigningKeyRecord[], alg: KeyAlgorithm, now: Milliseconds): RotationStep {
  const own = keys.filter((key) => key.alg === alg && isPublished(key, now));
  const newest = own.findLast(({ retiresAt }) => retiresAt === null);
  if (!newest) return 'missing';
  if (newest.signsFrom > now) return 'published';
  if (newest.signsFrom <= now - longestMilliseconds) return 'overdue';
  return own.length > 1 ? 'replaced' : 'signing';
}
