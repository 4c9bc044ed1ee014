/**
 * A machine in a simulation: threads that take turns on its cores. All times are µs.
 *
 * A core keeps a thread while it has work, up to a slice; then the one that has used least is next, as with Linux's
 * fair scheduler. A thread that comes to a core on which another one ran before pays for the change: the caches hold
 * the other one's data.
 */

export interface Clock {
  now(): number;
  at(time: number, happen: () => void): void;
  /** Lets everything happen up to this time. */
  runUntil(time: number): void;
}

/** What is to happen, as a binary heap by time; what is due at the same time happens in the order in which it came. */
export function createClock(): Clock {
  const times: number[] = [];
  const orders: number[] = [];
  const happenings: (() => void)[] = [];
  let current = 0;
  let order = 0;

  const isBefore = (a: number, b: number) => {
    const [one = 0, other = 0] = [times[a], times[b]];
    return one < other || (one === other && (orders[a] ?? 0) < (orders[b] ?? 0));
  };
  const swap = <T>(list: T[], a: number, b: number) => {
    [list[a], list[b]] = [list[b] as T, list[a] as T];
  };
  const exchange = (a: number, b: number) => {
    swap(times, a, b);
    swap(orders, a, b);
    swap(happenings, a, b);
  };
  const rise = (from: number) => {
    for (let index = from; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!isBefore(index, parent)) return;
      exchange(index, parent);
      index = parent;
    }
  };
  const sink = () => {
    for (let index = 0; ; ) {
      const left = index * 2 + 1;
      const least = left + 1 < times.length && isBefore(left + 1, left) ? left + 1 : left;
      if (least >= times.length || !isBefore(least, index)) return;
      exchange(index, least);
      index = least;
    }
  };

  return {
    now: () => current,
    at: (time, happen) => {
      order += 1;
      times.push(Math.max(time, current));
      orders.push(order);
      happenings.push(happen);
      rise(times.length - 1);
    },
    runUntil: (time) => {
      while ((times[0] ?? Number.POSITIVE_INFINITY) <= time) {
        current = times[0] ?? current;
        const happen = happenings[0];
        exchange(0, times.length - 1);
        times.pop();
        orders.pop();
        happenings.pop();
        sink();
        happen?.();
      }
      current = time;
    },
  };
}

export interface Thread {
  /** Uses the processor for so long, after what was asked of this thread before, and then calls `done`. */
  use(microseconds: number, done: () => void): void;
  /** What it has used so far, changes included. */
  used(): number;
}

export interface Cores {
  createThread(): Thread;
}

export interface CoresOptions {
  readonly cores: number;
  /** How long a thread keeps a core while others wait. */
  readonly slice: number;
  /** What it costs a thread to come to a core where another one ran before. */
  readonly change: number;
}

interface Running {
  readonly jobs: { left: number; readonly done: () => void }[];
  used: number;
  /** What it has used, from where it stood among the others when it last woke. */
  fair: number;
  /** It has a core or waits for one. */
  active: boolean;
}

export function createCores(clock: Clock, { cores, slice, change }: CoresOptions): Cores {
  const idle = Array.from({ length: cores }, (_, index) => index);
  const last: (Running | null)[] = Array.from({ length: cores }, () => null);
  const ready: Running[] = [];
  /** Where the one stands that was chosen last. */
  let fair = 0;

  /** A thread goes back to the core that it knows, if that one is free. */
  function takeCore(thread: Running): number {
    const known = idle.findIndex((core) => last[core] === thread);
    return idle.splice(known === -1 ? idle.length - 1 : known, 1)[0] ?? 0;
  }

  function takeNext(): Running | undefined {
    let least = 0;
    for (const [index, { fair: place }] of ready.entries()) if (place < (ready[least]?.fair ?? 0)) least = index;
    return ready.splice(least, 1)[0];
  }

  function begin(): void {
    while (idle.length > 0 && ready.length > 0) {
      const next = takeNext() as Running;
      const core = takeCore(next);
      const changed = last[core] === next ? 0 : change;
      last[core] = next;
      fair = Math.max(fair, next.fair);
      run(core, next, slice, changed);
    }
  }

  function run(core: number, one: Running, left: number, changed: number): void {
    const [job] = one.jobs;
    if (!job) {
      one.active = false;
      idle.push(core);
      begin();
      return;
    }
    const time = Math.min(job.left, left);
    clock.at(clock.now() + changed + time, () => {
      one.used += changed + time;
      one.fair += changed + time;
      job.left -= time;
      if (job.left <= 0) {
        one.jobs.shift();
        job.done();
      }
      if (one.jobs.length > 0 && left - time <= 0 && ready.length > 0) {
        ready.push(one);
        idle.push(core);
        begin();
      } else run(core, one, left > time ? left - time : slice, 0);
    });
  }

  return {
    createThread: () => {
      const one: Running = { jobs: [], used: 0, fair: 0, active: false };
      return {
        use: (microseconds, done) => {
          one.jobs.push({ left: microseconds, done });
          // While it has a core or waits for one, it comes to this job by itself.
          if (one.active) return;
          one.active = true;
          // Who slept is a slice ahead of the others at most.
          one.fair = Math.max(one.fair, fair - slice);
          ready.push(one);
          begin();
        },
        used: () => one.used,
      };
    },
  };
}
