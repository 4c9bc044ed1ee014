/** The process's isolates: each runs one function at a time, so that waiting runs do not block each other. */

import type { FromProcess, ToProcess } from '../protocol.ts';
import { createLane, type Lane } from './lane.ts';

const mostLanes = 4;

type Message<Op extends ToProcess['op']> = Extract<ToProcess, { op: Op }>;

interface Lanes {
  /** Creates the first isolate and its first context ahead of need. */
  prepare(): void;
  load(message: Message<'load'>): void;
  run(message: Message<'run'>): void;
  settle(run: number, call: number, answer: string): void;
}

export function createLanes(send: (message: FromProcess) => void): Lanes {
  const sources = new Map<number, Message<'load'>>();
  const lanes: Lane[] = [];
  const busy = new Map<number, Lane>();

  /** The service never starts more runs at once than there are lanes. */
  function freeLane(): Lane {
    const free = lanes.find((lane) => !lane.isBusy());
    if (free) return free;
    if (lanes.length >= mostLanes) throw new Error('more runs than lanes');
    const lane = createLane(send);
    lanes.push(lane);
    return lane;
  }

  return {
    prepare: () => freeLane().prepare(),
    load(message) {
      sources.set(message.hook, message);
      send({ op: 'loaded', hook: message.hook, error: freeLane().compile(message) });
    },
    run(message) {
      const source = sources.get(message.hook);
      if (!source) throw new Error('a function that was not loaded');
      const lane = freeLane();
      busy.set(message.run, lane);
      void lane.run(message, source).then((ended) => {
        busy.delete(message.run);
        const { rss } = process.memoryUsage();
        const { user, system } = process.cpuUsage();
        send({ op: 'ended', run: message.run, ...ended, memory: rss, processorTime: user + system });
        // While the lane is idle, so that the next run finds its context ready.
        if (ended.ending === 'answered') lane.prepare();
      });
    },
    settle: (run, call, answer) => busy.get(run)?.settle(call, answer),
  };
}
