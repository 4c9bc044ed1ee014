import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { violationsOf } from '../support/axe.ts';
import { isSampled, sampled } from '../support/sample.ts';
import { type Cast, gatherCast } from './cast.ts';
import { everyPage } from './every-page.ts';
import { openStage, type Stage, visit } from './stage.ts';

describe('every hosted page as the service sends it', () => {
  let stage: Stage;
  let cast: Cast;

  before(async () => {
    stage = await openStage();
    cast = await gatherCast(stage);
  });
  after(() => stage.dispose());

  // One page in 24, each in one scheme of colours; the drill M1 looks at all of them in both. What a page is
  // made of is looked at in test/pages for every page.
  for (const [index, [name, open]] of sampled(everyPage, 24).entries()) {
    const schemes = (['light', 'dark'] as const).filter((_, which) => isSampled(which, 2, index));
    it(`${name}: axe finds nothing in ${schemes.join(' and ')}, and 320 pixels are wide enough`, () =>
      visit(stage, {}, async (page) => {
        await open(page, cast);
        for (const [which, colorScheme] of schemes.entries()) {
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await violationsOf(page, which === 0 ? 'everything' : 'colours'), []);
        }
        await page.setViewportSize({ width: 320, height: 640 });
        const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.equal(await page.evaluate(sideways), 0);
      }));
  }
});
