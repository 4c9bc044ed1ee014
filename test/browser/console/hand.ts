/** Somebody at the console, who counts what they do: a choice, a text, or a button is one interaction. */

import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

export type Way = 'pointer' | 'keyboard';

export interface Hand {
  readonly interactions: () => number;
  choose(within: Locator | Page, label: string, value: string): Promise<void>;
  fill(within: Locator | Page, label: string, text: string): Promise<void>;
  press(within: Locator | Page, button: string): Promise<void>;
}

const field = (within: Locator | Page, label: string) => within.getByLabel(label, { exact: true });
const button = (within: Locator | Page, name: string) => within.getByRole('button', { name, exact: true });

export function handOf(page: Page, way: Way): Hand {
  let count = 0;
  const by = way === 'pointer' ? pointer : keyboardOf(page);
  const counted =
    <Given extends unknown[]>(act: (...given: Given) => Promise<void>) =>
    async (...given: Given) => {
      count += 1;
      await act(...given);
    };
  return {
    interactions: () => count,
    choose: counted((within, label, value) => by.choose(field(within, label), value)),
    fill: counted((within, label, text) => by.fill(field(within, label), text)),
    press: counted((within, name) => by.press(button(within, name))),
  };
}

interface Means {
  choose(select: Locator, value: string): Promise<void>;
  fill(input: Locator, text: string): Promise<void>;
  press(target: Locator): Promise<void>;
}

const pointer: Means = {
  choose: async (select, value) => void (await select.selectOption({ label: value })),
  fill: (input, text) => input.fill(text),
  press: (target) => target.click(),
};

/** More than any screen has. */
const mostStops = 400;

function keyboardOf({ keyboard }: Page): Means {
  /** Goes there as everybody without a pointer does. */
  const reach = async (target: Locator) => {
    await target.waitFor();
    for (let stops = 0; stops < mostStops; stops += 1) {
      if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
      await keyboard.press('Tab');
    }
    assert.fail(`the keyboard does not reach ${target}`);
  };
  const chosen = async (select: Locator) => (await select.locator('option:checked').textContent())?.trim();
  return {
    choose: async (select, value) => {
      await reach(select);
      await keyboard.press('Home');
      for (let before: string | undefined; (await chosen(select)) !== value; ) {
        const now = await chosen(select);
        assert.notEqual(now, before, `there is no choice ${value}`);
        before = now;
        await keyboard.press('ArrowDown');
      }
    },
    fill: async (input, text) => {
      await reach(input);
      await keyboard.press('Control+A');
      await keyboard.insertText(text);
    },
    press: async (target) => {
      await reach(target);
      await keyboard.press('Enter');
    },
  };
}
