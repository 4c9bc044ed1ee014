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
  /** The part of the screen that is shown; what a window shows unless said. */
  readonly section?: string;
  /** The part that the window is scrolled to. */
  readonly scrolledTo?: string;
}

const pictures: Readonly<Record<string, Picture>> = {
  'console-explain': { scene: 'explain', colorScheme: 'light', section: 'Why can this user (not) sign in?' },
  'console-users': { scene: 'users', colorScheme: 'light' },
  'console-app': { scene: 'apps/:id', colorScheme: 'dark', scrolledTo: 'Who has access' },
};

describe('the pictures of the console', () => {
  // The seconds of a browser show nothing that the walks do not: `npm run docs -- --pictures` alone takes them.
  const isAsked = process.env[picturesVariable] !== undefined;
  const itIfAsked = isAsked ? it : () => {};
  itIfAsked('are taken', async () => {
    const stage = await openStage({}, { clock: runningClock() });
    try {
      const setting = await furnish(stage);
      for (const [name, { scene, colorScheme, section, scrolledTo }] of Object.entries(pictures)) {
        const { path, act } = sceneOf(setting, scene);
        await visitConsole(stage, setting.administrator, { path, colorScheme }, async (page) => {
          await settled(page);
          await act?.(page);
          const region = (title: string) => page.getByRole('region', { name: title });
          // The address of a test is another in each run, and nobody's.
          await page.locator('.host').evaluate((host) => host.replaceChildren('acme.id.example.com'));
          if (scrolledTo !== undefined) {
            await region(scrolledTo).evaluate((element) => {
              element.style.scrollMarginTop = '1.5rem';
              element.scrollIntoView();
            });
          }
          await takePicture(section === undefined ? page : region(section), name);
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
