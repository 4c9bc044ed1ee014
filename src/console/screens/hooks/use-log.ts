/** The runs of hooks as they come: those that are stored, and those that a stream brings. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { type Following, follow } from '../../api/events.ts';
import { type Problem, problemOf } from '../../api/problem.ts';

export type Run = Schemas['HookExecution'] & { readonly hook_id?: string };

export interface LiveLog {
  /** Newest first. */
  readonly runs: readonly Run[];
  readonly state: Following;
  readonly problem: Problem | null;
  readonly isPaused: boolean;
  pause(isPaused: boolean): void;
  /** Reads the ones before; null where there are none. */
  readonly older: (() => Promise<void>) | null;
}

const mostRuns = 500;
const pageSize = 50;

/** A run may come twice, by its list and by the stream. */
function merge(one: readonly Run[], other: readonly Run[]): readonly Run[] {
  const known = new Map([...one, ...other].map((run) => [run.request_id, run]));
  const sorted = [...known.values()].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
  return sorted.slice(0, mostRuns);
}

/** Of one hook, with those of the last days; or of all, from now on. */
export function useLog(hookId: string | null): LiveLog {
  const [runs, setRuns] = useState<readonly Run[]>([]);
  const [state, setState] = useState<Following>({ is: 'opening' });
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isPaused, setIsPaused] = useState(false);
  const [cursor, setCursor] = useState<string | null | undefined>(undefined);
  const waiting = useRef<Run[]>([]);
  const paused = useRef(false);
  const read = useCallback(
    async (from: string | null) => {
      if (hookId === null) return;
      try {
        const query = from === null ? { limit: pageSize } : { cursor: from };
        const { data, headers } = await api.get('/api/2/hooks/{id}/logs', { path: { id: hookId }, query });
        setRuns((before) => merge(before, data));
        const after = headers.get('after-cursor');
        // The first page is read again when a stream opens: older ones may have been read by then.
        setCursor((before) => (from === null && before !== undefined ? before : after));
        setProblem(null);
      } catch (error) {
        setProblem(problemOf(error));
      }
    },
    [hookId],
  );
  useEffect(() => {
    const leaving = new AbortController();
    const tell = (next: Following) => {
      setState(next);
      // Once the stream is open, so that no run falls between both.
      if (next.is === 'live') void read(null);
    };
    const got = ({ name, data }: { readonly name: string; readonly data: string }) => {
      if (name === 'gap') void read(null);
      if (name !== 'run') return;
      const run = JSON.parse(data) as Run;
      if (paused.current) waiting.current = [...waiting.current, run].slice(-mostRuns);
      else setRuns((before) => merge(before, [run]));
    };
    const query = hookId === null ? {} : { hook_id: hookId };
    void follow('/api/2/hooks/logs/stream', { query }, { got, tell }, leaving.signal);
    return () => leaving.abort();
  }, [hookId, read]);
  return {
    runs,
    state,
    problem,
    isPaused,
    pause: (next) => {
      paused.current = next;
      setIsPaused(next);
      if (next) return;
      const missed = waiting.current.splice(0);
      setRuns((before) => merge(before, missed));
    },
    older: cursor == null || runs.length >= mostRuns ? null : () => read(cursor),
  };
}
