/** What one run can reach outside its isolate: host calls, timers, and the service's `fetch`. Ends with the run. */

import { type FromProcess, limits } from '../protocol.ts';

export interface Outside {
  call(operation: string, argument: string): string;
  post(operation: string, id: number, argument: string): void;
  /** Delivers an answer from the service. */
  settle(id: number, answer: string): void;
  close(): void;
}

interface Parts {
  readonly run: number;
  readonly send: (message: FromProcess) => void;
  readonly settle: (id: number, answer: string) => void;
  readonly answerHost: (operation: string, argument: string) => string;
}

/** The guest counts calls too; this limit holds for a function that got past that count. */
const mostCalls = limits.hostCalls + 1;

export function createOutside({ run, send, settle, answerHost }: Parts): Outside {
  const timers = new Map<number, NodeJS.Timeout>();
  let calls = 0;
  let isClosed = false;

  /** Never throws: an error would cross with its stack. */
  const admits = () => {
    calls += 1;
    return !isClosed && calls <= mostCalls;
  };

  function startTimer(id: number, argument: string): void {
    const delay = Number(argument);
    const timer = setTimeout(() => {
      timers.delete(id);
      settle(id, '');
    }, delay);
    timers.set(id, timer);
  }

  return {
    call: (operation, argument) => (admits() ? answerHost(operation, argument) : '!too_many_calls'),
    post(operation, id, argument) {
      if (!admits()) return;
      if (operation === 'timer') startTimer(id, argument);
      else if (operation === 'fetch') send({ op: 'fetch', run, call: id, request: argument });
    },
    settle(id, answer) {
      if (!isClosed) settle(id, answer);
    },
    close() {
      isClosed = true;
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
