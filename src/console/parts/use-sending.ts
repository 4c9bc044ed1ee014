/** What forms have in common: one sending at a time, and what was refused of it. */

import { useRef, useState } from 'preact/hooks';
import { type Problem, problemOf } from '../api/problem.ts';

export interface Sending {
  readonly isBusy: boolean;
  /** Of the newest sending, until the next one begins. */
  readonly problem: Problem | null;
  /** Does nothing while another sending is under way. `act` is told whether its answer is still looked at. */
  send(act: (isCurrent: () => boolean) => Promise<unknown>): Promise<void>;
  /** What is under way counts for nothing from now on, and neither does what was refused. */
  drop(): void;
}

export function useSending(): Sending {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  // Two events may come before the page shows the first.
  const current = useRef<object | null>(null);
  return {
    isBusy,
    problem,
    send: async (act) => {
      if (current.current) return;
      const mine = {};
      const isCurrent = () => current.current === mine;
      current.current = mine;
      setIsBusy(true);
      setProblem(null);
      try {
        await act(isCurrent);
      } catch (error) {
        if (isCurrent()) setProblem(problemOf(error));
      } finally {
        if (isCurrent()) {
          current.current = null;
          setIsBusy(false);
        }
      }
    },
    drop: () => {
      current.current = null;
      setIsBusy(false);
      setProblem(null);
    },
  };
}
