import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { type Cast, everyPage, gatherCast } from './every-page.ts';
import { openStage, type Stage, visit } from './stage.ts';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds wrong: rules, and the elements that break them. */
async function violations(page: Page): Promise<readonly (readonly [string, readonly string[]])[]> {
  const found = await new AxeBuilder({ page }).withTags(rules).analyze();
  assert.ok(found.passes.length > 10, 'axe did not look at the page');
  return found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

describe('every hosted page as the service sends it', () => {
  let stage: Stage;
  let cast: Cast;

  before(async () => {
    stage = await openStage();
    cast = await gatherCast(stage);
  });
  after(() => stage.dispose());

  for (const [name, open] of everyPage) {
    it(`${name}: axe finds nothing in light and dark, and 320 pixels are wide enough`, () =>
      visit(stage, {}, async (page) => {
        await open(page, cast);
        assert.deepEqual(await violations(page), []);
        await page.emulateMedia({ colorScheme: 'dark' });
        assert.deepEqual(await violations(page), []);
        await page.setViewportSize({ width: 320, height: 640 });
        const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.equal(await page.evaluate(sideways), 0);
      }));
  }
});
