/** What axe-core finds wrong with a page. */

import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

const ofEverything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What another scheme of colours can break. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/**
 * The rules that are broken, and the elements that break them; `colours`: of those about colours alone, for a page that
 * was looked at in another scheme. Pages have no frames, for which axe would open another page to put findings
 * together.
 */
export async function violationsOf(page: Page, about: 'everything' | 'colours' = 'everything') {
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations, passes } = await (about === 'colours'
    ? axe.withRules(ofColours)
    : axe.withTags(ofEverything)
  ).analyze();
  assert.ok(passes.length > (about === 'colours' ? 0 : 5), 'axe did not look at the page');
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)] as const);
}
