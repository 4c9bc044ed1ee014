import { AsyncLocalStorage } from 'node:async_hooks';

interface GatherOptions {
  /** Per batch. */
  readonly mostItems?: number;
  /**
   * Minimum milliseconds from the end of a batch to the beginning of the next: more items share a batch if there is
   * other work to do meanwhile.
   */
  readonly interval?: number;
  /**
   * Holds a batch back while the machine is busy: calls what begins it, after the given milliseconds at the latest. A
   * batch is held up to `mostHeld` after the end of the one before, so that one that follows none begins at once.
   */
  readonly hold?: (milliseconds: number, begin: () => void) => void;
  readonly mostHeld?: number;
  /**
   * Whether a batch may have failed by one of its items alone. It has done nothing then, and its items are run one by
   * one, so that each gets its own result or error.
   */
  readonly isOfOne?: (error: unknown) => boolean;
}

/**
 * Turns a function that takes a batch into one that takes a single item. All items that arrive in one turn of the event
 * loop, or while a batch is running or delayed, go into the next one. One commit then serves all of them.
 */
export function gather<Item, Result>(
  run: (batch: readonly Item[]) => Promise<readonly Result[]>,
  { mostItems = 256, interval = 0, hold, mostHeld = 0, isOfOne = () => false }: GatherOptions = {},
): (item: Item) => Promise<Result> {
  interface Waiting {
    readonly item: Item;
    readonly resolve: (result: Result) => void;
    readonly reject: (error: unknown) => void;
  }
  // A batch belongs to no request; otherwise it would keep the first one's context for as long as it is busy.
  const inNoContext = AsyncLocalStorage.snapshot();
  let waiting: Waiting[] = [];
  let busy = false;
  let endedAt = Number.NEGATIVE_INFINITY;

  async function runAlone({ item, resolve, reject }: Waiting): Promise<void> {
    try {
      const [result] = await run([item]);
      resolve(result as Result);
    } catch (error) {
      reject(error);
    }
  }

  async function flush(): Promise<void> {
    const batch = waiting.slice(0, mostItems);
    waiting = waiting.slice(mostItems);
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length > 1 && isOfOne(error)) for (const one of batch) await runAlone(one);
      else for (const { reject } of batch) reject(error);
    }
    busy = false;
    endedAt = performance.now();
    if (waiting.length > 0) schedule();
  }

  /** Everything that comes in this turn of the event loop still belongs to it. */
  function begin(): void {
    setImmediate(() => void inNoContext(flush));
  }

  function beginUnlessHeld(): void {
    const milliseconds = endedAt + mostHeld - performance.now();
    if (hold && milliseconds > 0) hold(Math.ceil(milliseconds), begin);
    else begin();
  }

  function schedule(): void {
    busy = true;
    const milliseconds = endedAt + interval - performance.now();
    if (milliseconds > 0) setTimeout(beginUnlessHeld, Math.ceil(milliseconds));
    else beginUnlessHeld();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!busy) schedule();
    });
}

/**
 * The same with a batch of its own for each lane, so that no lane waits for what another one's batch waits for. At most
 * `mostLanes` batches are under way at a time. There are few lanes: each is remembered.
 */
export function gatherInLanes<Item, Result>(
  laneOf: (item: Item) => unknown,
  mostLanes: number,
  run: (batch: readonly Item[]) => Promise<readonly Result[]>,
  options: GatherOptions = {},
): (item: Item) => Promise<Result> {
  // A lane belongs to no request, not even to the first that uses it.
  const inNoContext = AsyncLocalStorage.snapshot();
  const lanes = new Map<unknown, (item: Item) => Promise<Result>>();
  const inTurn = atMost(mostLanes, run);
  return (item) => {
    const name = laneOf(item);
    const lane = lanes.get(name) ?? inNoContext(() => gather(inTurn, options));
    lanes.set(name, lane);
    return lane(item);
  };
}

/** The same function, running so many times at once; further calls begin in the order in which they came. */
function atMost<Argument, Result>(
  most: number,
  run: (argument: Argument) => Promise<Result>,
): (argument: Argument) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (argument) => {
    if (running < most) running += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await run(argument);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
