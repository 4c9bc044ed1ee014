import { setTimeout as delay } from 'node:timers/promises';

/** Far more than a busy machine takes for anything that is waited for. */
const longestMilliseconds = 300_000;

const mostTries = 10;

/** What opens only while the machine is not busy, and is not what a test is about: tries again. */
export async function untilOpened<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await open();
    } catch (error) {
      if (tries === mostTries) throw error;
    }
  }
}

/**
 * Settles when the condition holds; it looks again until then. How long something takes says how busy the machine is,
 * so the limit only tells what never comes, and says what it was.
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + longestMilliseconds;
  while (!(await condition())) {
    if (performance.now() > endsAt) throw new Error(`this never came to be: ${condition}`);
    await delay(10);
  }
}
