/** Versions of the context that a function receives (the document's §9). */

import maxSatisfying from 'semver/ranges/max-satisfying.js';
import type { HookDefinition } from '../../store/hooks.ts';
import { invalid } from './values.ts';

export const contextVersions = ['1.0.0', '1.1.0'] as const;

type ContextVersion = (typeof contextVersions)[number];

export const latestContextVersion = '1.1.0' satisfies ContextVersion;

/** The version for a text: the same version, or the highest in a range; null when there is none. */
function findContextVersion(text: string): ContextVersion | null {
  return maxSatisfying(contextVersions, text);
}

/** The version of the context that a hook's function receives. */
export function contextVersionOf({ contextVersion }: Pick<HookDefinition, 'contextVersion'>): ContextVersion {
  return findContextVersion(contextVersion) ?? '1.0.0';
}

/** A version or a range, as it was sent. Throws `value_invalid`. */
export function readContextVersion(text: string): string {
  if (findContextVersion(text) !== null) return text;
  throw invalid('context_version', `must be ${contextVersions.join(', ')} or a range that includes one of them`);
}
