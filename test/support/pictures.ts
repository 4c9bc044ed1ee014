/** The pictures of the guides, as the browser tests take them. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The variable that names the folder, from the root of the repository, which pictures are written to. */
export const picturesVariable = 'GATEHOUSE_TEST_PICTURES';

/** Writes what the window or an element shows now, where pictures are asked for. */
export async function takePicture(shown: Page | Locator, name: string): Promise<void> {
  const folder = process.env[picturesVariable];
  if (folder === undefined) return;
  writeFileSync(join(root, folder, `${name}.png`), await shown.screenshot({ animations: 'disabled' }));
}
