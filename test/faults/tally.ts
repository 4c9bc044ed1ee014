/** What came back while something was wrong, by status, and how long the slowest took. */

import type { TimedAnswer } from '../support/wire.ts';

export interface Tally {
  /** Waits for an answer and notes it; null when there was none. */
  note(call: Promise<TimedAnswer>): Promise<TimedAnswer | null>;
  readonly statuses: ReadonlyMap<string, number>;
  /** `200 × 12, 503 × 3`. */
  text(): string;
  /** Milliseconds of each answer. */
  readonly times: readonly number[];
  /** The longest wait for an answer in milliseconds. */
  slowest(): number;
  /** What is neither one of these statuses nor a complete 503, as `<status or error> × <count>`. */
  beyond(...statuses: number[]): string[];
}

export function createTally(): Tally {
  const statuses = new Map<string, number>();
  const times: number[] = [];
  const add = (name: string) => void statuses.set(name, (statuses.get(name) ?? 0) + 1);
  return {
    statuses,
    times,
    note: async (call) => {
      try {
        const answer = await call;
        times.push(answer.answeredAt - answer.calledAt);
        const bare = (answer.status === 503 || answer.status === 429) && !answer.headers['retry-after'];
        add(`${answer.status}${bare ? ' without Retry-After' : ''}`);
        return answer;
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        add(String(code ?? (error instanceof Error ? error.message.slice(0, 200) : error)));
        return null;
      }
    },
    text: () => described([...statuses]),
    slowest: () => Math.round(Math.max(0, ...times)),
    beyond: (...allowed) => {
      const names = [...allowed, 503].map(String);
      return [...statuses].filter(([name]) => !names.includes(name)).map(([name, count]) => `${name} × ${count}`);
    },
  };
}

function described(statuses: [string, number][]): string {
  const sorted = statuses.toSorted(([a], [b]) => a.localeCompare(b));
  return sorted.map(([name, count]) => `${name} × ${count}`).join(', ') || 'none';
}
