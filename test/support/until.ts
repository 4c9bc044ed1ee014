import { setTimeout as delay } from 'node:timers/promises';

/**
 * Settles when the condition holds. It looks again until then, without a limit of its own: how long something takes says
 * how busy the machine is, and what never comes ends with the time that a test file has.
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(10);
}
