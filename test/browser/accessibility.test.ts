import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { violationsOf } from '../support/axe.ts';
import { type Cast, everyPage, gatherCast } from './every-page.ts';
import { openStage, type Stage, visit } from './stage.ts';

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
        assert.deepEqual(await violationsOf(page), []);
        await page.emulateMedia({ colorScheme: 'dark' });
        assert.deepEqual(await violationsOf(page, 'colours'), []);
        await page.setViewportSize({ width: 320, height: 640 });
        const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.equal(await page.evaluate(sideways), 0);
      }));
  }
});
