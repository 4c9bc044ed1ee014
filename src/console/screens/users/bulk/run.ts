/** An action for one user after the other. */

import type { Schemas } from '../../../api/contract.ts';
import { type Problem, problemOf } from '../../../api/problem.ts';
import { patiently, wasStopped } from '../../../parts/pages.ts';

type User = Schemas['User'];

export interface Failed {
  readonly user: User;
  readonly problem: Problem;
}

export interface Run {
  readonly count: number;
  readonly done: number;
  readonly failed: readonly Failed[];
  /** Those to whom it was not done. */
  readonly left: readonly User[];
  /** Why the others were not tried; null where nothing stands in the way. */
  readonly ended: Problem | null;
  readonly isOver: boolean;
}

/** Without a session or an answer, the next call ends no better. */
const endsAll = ({ status }: Problem) => status === 0 || status === 401;

/** Tells after each user how far it is, and goes on where it is refused for one. Ends early when it is told to stop. */
export async function runFor(
  users: readonly User[],
  act: (user: User) => Promise<unknown>,
  tell: (run: Run) => void,
  signal: AbortSignal,
): Promise<Run> {
  const left = new Set(users);
  const failed: Failed[] = [];
  let ended: Problem | null = null;
  const now = (isOver: boolean): Run => {
    const done = users.length - left.size;
    return { count: users.length, done, failed: [...failed], left: [...left], ended, isOver };
  };
  tell(now(false));
  for (const user of users) {
    if (signal.aborted || ended) break;
    try {
      await patiently(() => act(user), signal);
      left.delete(user);
    } catch (error) {
      if (wasStopped(error, signal)) break;
      const problem = problemOf(error);
      if (endsAll(problem)) ended = problem;
      else failed.push({ user, problem });
    }
    tell(now(false));
  }
  return now(true);
}
