/** The page of metrics of all processes. */

import { createTogether } from '../metrics/together.ts';
import type { Log } from '../services.ts';
import type { Child } from './child.ts';

interface Pages {
  read(): Promise<string>;
  /** What the process counted stays on the page. */
  ended(child: Child): void;
}

/** `children`: those that there are at any time. */
export function createPages(children: ReadonlySet<Child>, log: Log): Pages {
  const together = createTogether();
  let reading: Promise<string> | null = null;

  async function measureAll(): Promise<string> {
    const serving = [...children].filter((child) => child.isReady());
    const current = await Promise.all(serving.map((child) => child.measure()));
    return together.page(current).catch((error) => {
      noteBad(error);
      return '';
    });
  }

  /** Of processes of two releases: nothing else depends on them. */
  function noteBad(error: unknown): void {
    log.error('metrics cannot be added up', { reason: String(error) });
  }

  return {
    read() {
      // One page at a time: whoever asks meanwhile sees the same.
      reading ??= measureAll().finally(() => {
        reading = null;
      });
      return reading;
    },
    ended: (child) => void together.ended(child.measured()).catch(noteBad),
  };
}
