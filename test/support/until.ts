import { setTimeout as delay } from 'node:timers/promises';

/** Far more than a busy machine takes for anything that is waited for. */
const longestMilliseconds = 300_000;

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
