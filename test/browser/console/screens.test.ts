/** Every screen of the console as it looks: axe finds nothing, and 320 pixels are wide enough. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { violationsOf } from '../../support/axe.ts';
import { isSampled, isWhole, sampled, sampledDatabases } from '../../support/sample.ts';
import { runningClock } from '../../support/services.ts';
import { openStage, type Stage } from '../stage.ts';
import { furnish, type Setting, sceneNames, sceneOf } from './screens.ts';
import { visitConsole } from './visit-console.ts';
import { settled } from './walks.ts';

for (const kind of sampledDatabases) {
  describe(`every screen of the console on ${kind}`, () => {
    let stage: Stage;
    let setting: Setting;
    before(async () => {
      stage = await openStage({}, { clock: runningClock() }, kind);
      setting = await furnish(stage);
    });
    after(() => stage.dispose());

    // One in 16, each in one scheme of colours; the drill M10 looks at all of them in both, and at 320 pixels.
    for (const [index, name] of sampled(sceneNames, 16, 12).entries()) {
      const schemes = (['light', 'dark'] as const).filter((_, which) => isSampled(which, 2, index));
      it(`${name}: axe finds nothing in ${schemes.join(' and ')}, and 320 pixels are wide enough`, async () => {
        const { path, act } = sceneOf(setting, name);
        await visitConsole(stage, setting.administrator, { path, colorScheme: schemes[0] ?? 'light' }, async (page) => {
          await settled(page);
          await act?.(page);
          for (const [which, colorScheme] of schemes.entries()) {
            await page.emulateMedia({ colorScheme });
            assert.deepEqual(await violationsOf(page, which === 0 ? 'everything' : 'colours'), []);
          }
          await page.setViewportSize({ width: 320, height: 640 });
          const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
          assert.equal(await page.evaluate(sideways), 0);
          if (isWhole) assert.deepEqual(await violationsOf(page), []);
        });
      });
    }
  });
}
