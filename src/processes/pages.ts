/** The page of metrics of all processes. */

import { createTogether } from '../metrics/together.ts';
import type { Log } from '../services.ts';
import type { Child } from './child.ts';

type Measured = Pick<Child, 'isReady' | 'measure' | 'measured'>;

interface Pages {
  read(): Promise<string>;
  /** What the process counted stays on the page. Called in the turn in which it leaves `children`. */
  ended(child: Measured): void;
}

/** `children`: those that there are at any time. */
export function createPages(children: ReadonlySet<Measured>, log: Pick<Log, 'error'>): Pages {
  const together = createTogether();
  let reading: Promise<string> | null = null;

  async function measureAll(): Promise<string> {
    const serving = [...children].filter((child) => child.isReady());
    await Promise.all(serving.map((child) => child.measure()));
    try {
      // Of those that there still are: what has ended meanwhile would be on the page twice.
      return await together.page([...children].map((child) => child.measured()));
    } catch (error) {
      noteBad(error);
      return '';
    }
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
    ended(child) {
      try {
        together.ended(child.measured());
      } catch (error) {
        noteBad(error);
      }
    },
  };
}
