/** Settings of an account as people read them on a terminal: each with what it means and what it may be. */

import { printableValue } from '../adapters/printable.ts';
import type { ShownSetting } from '../domain/accounts/settings.ts';

/** `headingOf` is the first line of each. */
export function settingsText(settings: readonly ShownSetting[], headingOf: (setting: ShownSetting) => string): string {
  return settings.map((setting) => describe(setting, headingOf(setting))).join('');
}

function describe({ meaning, allowed }: ShownSetting, heading: string): string {
  const lines = [meaning, `allowed: ${allowed}`].map((text) => `    ${text.replaceAll('`', '')}\n`);
  return `  ${printableValue(heading)}\n${lines.join('')}`;
}
