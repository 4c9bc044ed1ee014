/** The pictures of the console in the guides: that they are there, and, where they are asked for, what they show. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { picturesVariable, takePicture } from '../../support/pictures.ts';
import { runningClock } from '../../support/services.ts';
import { openStage } from '../stage.ts';
import { furnish, sceneOf } from './screens.ts';
import { visitConsole } from './visit-console.ts';
import { settled } from './walks.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Picture {
  readonly scene: string;
  readonly colorScheme: 'light' | 'dark';
  /** What the window begins with. */
  readonly from: string;
}

const pictures: Readonly<Record<string, Picture>> = {
  'console-explain': { scene: 'explain', colorScheme: 'light', from: 'Why can this user (not) sign in?' },
  'console-users': { scene: 'users', colorScheme: 'light', from: 'Users' },
  'console-app': { scene: 'apps/:id', colorScheme: 'dark', from: 'Expense Desk' },
};

describe('the pictures of the console', () => {
  // The seconds of a browser show nothing that the walks do not: `npm run docs -- --pictures` alone takes them.
  const isAsked = process.env[picturesVariable] !== undefined;
  it('are taken', { skip: !isAsked }, async () => {
    const stage = await openStage({}, { clock: runningClock() });
    try {
      const setting = await furnish(stage);
      for (const [name, { scene, colorScheme, from }] of Object.entries(pictures)) {
        const { path, act } = sceneOf(setting, scene);
        await visitConsole(stage, setting.administrator, { path, colorScheme }, async (page) => {
          await settled(page);
          await act?.(page);
          const heading = page.getByRole('heading', { name: from, exact: true });
          await heading.evaluate((element) => element.scrollIntoView());
          await page.evaluate('scrollBy(0, -24)');
          await takePicture(page, name);
        });
      }
    } finally {
      await stage.dispose();
    }
  });

  it('are in the guides, and each is shown there', () => {
    const guide = readFileSync(`${root}/docs/console.md`, 'utf8');
    const files = readdirSync(`${root}/docs/pictures`);
    assert.deepEqual(
      files.toSorted(),
      Object.keys(pictures)
        .map((name) => `${name}.png`)
        .toSorted(),
    );
    for (const file of files) {
      assert.match(guide, new RegExp(`!\\[[^\\]]+\\]\\(pictures/${file}\\)`));
      assert.equal(readFileSync(`${root}/docs/pictures/${file}`).subarray(1, 4).toString(), 'PNG');
    }
  });
});
