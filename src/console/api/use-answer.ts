import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from './api.ts';
import { type Problem, problemOf } from './problem.ts';

export interface Asked<Data> {
  /** The newest answer. While the next one is on its way, still the one before. */
  readonly answer: Answer<Data> | null;
  readonly problem: Problem | null;
  readonly isWaiting: boolean;
  /** Asks again; settles when the page shows what was answered. */
  again(): Promise<void>;
}

/** Asks at once, and again whenever a part of `key` changes; what a former one answers then is not looked at. */
export function useAnswer<Data>(ask: () => Promise<Answer<Data>>, key: readonly unknown[]): Asked<Data> {
  const [state, setState] = useState<Omit<Asked<Data>, 'again'>>({ answer: null, problem: null, isWaiting: true });
  const turn = useRef(0);
  const again = useCallback(async () => {
    turn.current += 1;
    const mine = turn.current;
    setState((before) => ({ ...before, isWaiting: true }));
    const next = await ask().then(
      (answer) => ({ answer, problem: null }),
      (error) => ({ problem: problemOf(error) }),
    );
    if (turn.current === mine) setState((before) => ({ ...before, ...next, isWaiting: false }));
  }, key);
  useEffect(() => {
    void again();
    return () => {
      turn.current += 1;
    };
  }, [again]);
  return { ...state, again };
}
