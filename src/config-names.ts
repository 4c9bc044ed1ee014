/** Finds variables that look like a misspelled setting: settings have no prefix by which unknown ones stand out. */

import { isOneSlipFrom } from './config-values.ts';
import { settings } from './settings.ts';

export interface Doubts {
  readonly mistakes: readonly string[];
  readonly warnings: readonly string[];
}

const names = Object.keys(settings);

function meantBy(given: string): string | undefined {
  return names.find((name) => name === given.toUpperCase() || isOneSlipFrom(name, given));
}

/**
 * Variables of the environment. `HOST` or `PORT` has neighbours that belong to other programs (`GHOST`, `RPORT`), so a
 * name like a single word is only doubted; one like `TRUST_PROXY` is a mistake.
 */
export function doubtEnvironment(environment: Readonly<Record<string, string | undefined>>): Doubts {
  const doubts = { mistakes: [] as string[], warnings: [] as string[] };
  for (const given of Object.keys(environment)) {
    const meant = names.includes(given) ? undefined : meantBy(given);
    if (meant === undefined) continue;
    if (meant.includes('_')) doubts.mistakes.push(`unknown setting ${given}; did you mean ${meant}?`);
    else doubts.warnings.push(`the variable ${given} is not read; if it was to be a setting, write ${meant}`);
  }
  return doubts;
}

/** Names in a file of settings, which belongs to the service alone. */
export function findUnknown(path: string, given: readonly string[]): string[] {
  return given.flatMap((name) => {
    if (names.includes(name)) return [];
    const meant = meantBy(name);
    const hint = meant === undefined ? 'README.md, "Settings", lists those there are' : `did you mean ${meant}?`;
    return [`${path}: unknown setting ${name}; ${hint}`];
  });
}
