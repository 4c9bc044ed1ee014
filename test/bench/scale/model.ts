/**
 * The refresh on PostgreSQL as a simulation: what takes time, where, and what waits for what. All times are µs.
 *
 * Each client sends its next request when it has its answer. A process has an event loop, which takes what has arrived
 * in its order; a batch at a time for the account, as `src/domain/gather.ts` has it, which waits while signatures do;
 * and four threads that sign. The database answers a batch when its commit is on disk; commits that arrive during a flush share the next one.
 */

import { type Cores, createClock, createCores } from './cores.ts';

/**
 * What a refresh costs, µs of the processor; `Batch`: what each batch costs besides, whatever its size; `Read`: the age
 * of what is kept in memory, which is read twice for a refresh, once for all that ask while it is being read.
 */
export interface Costs {
  readonly loop: number;
  readonly loopBatch: number;
  readonly loopRead: number;
  readonly databaseRead: number;
  readonly signature: number;
  readonly database: number;
  readonly databaseBatch: number;
  /** Of the generator, for each request. */
  readonly client: number;
}

export interface Machine {
  readonly processes: number;
  readonly cores: number;
  /** Cores of a machine of its own for the database; null: it shares those of the service. */
  readonly databaseCores: number | null;
  /** Whether the load is made on the same cores. */
  readonly clientsShareCores: boolean;
  readonly connections: number;
  /** From sending to arriving, between service and database, µs. */
  readonly network: number;
  /** How long the log of the database takes to the disk, µs. */
  readonly flush: number;
  /** A core keeps a thread for this long while others wait, and what coming to another one's core costs, µs. */
  readonly slice: number;
  readonly change: number;
}

export interface Outcome {
  readonly perSecond: number;
  readonly p99Milliseconds: number;
  /** Requests in a batch, on average. */
  readonly batchSize: number;
  /** What was used for each request, µs. */
  readonly used: { readonly loop: number; readonly database: number; readonly all: number };
  /** Of the database's cores, while it has its own. */
  readonly databaseBusy: number;
}

/** Where on the event loop the cost of a refresh arises: reading the request, its result, its answer. */
const shares = { request: 0.55, result: 0.1, answer: 0.35, sending: 0.2 } as const;
/** `refreshInterval`, `fewSignatures` and `mostHeld` of `src/domain/gathered-writes.ts`, in µs. */
const interval = 2_000;
const fewSignatures = 4;
const mostHeld = 12_000;
const signingThreads = 4;
/** The largest batch of `gather`. */
const mostItems = 256;

type Step = () => void;

/** Runs the model for this long after a tenth of it, in which the batches form. */
export function simulate(costs: Costs, machine: Machine, milliseconds = 1_500): Outcome {
  const clock = createClock();
  const { cores: count, databaseCores, slice, change } = machine;
  const cores = createCores(clock, { cores: count, slice, change });
  const databaseMachine = databaseCores === null ? cores : createCores(clock, { cores: databaseCores, slice, change });
  const clients = machine.clientsShareCores ? cores.createThread() : null;
  const commit = createLog(clock, machine.flush);
  const servers = Array.from({ length: machine.processes }, () =>
    createServer({ clock, cores, databaseMachine, costs, commit, network: machine.network }),
  );

  const until = milliseconds * 1_000;
  const from = until / 10;
  const latencies: number[] = [];
  const afterClient = (then: Step) => (clients ? clients.use(costs.client / 2, then) : then());
  const ask = (serve: (answered: Step) => void) =>
    afterClient(() => {
      const sentAt = clock.now();
      serve(() =>
        afterClient(() => {
          if (sentAt >= from) latencies.push(clock.now() - sentAt);
          ask(serve);
        }),
      );
    });
  for (let index = 0; index < machine.connections; index += 1) {
    const server = servers[index % servers.length];
    // Clients do not begin at once.
    if (server) clock.at(index * 37, () => ask(server.serve));
  }
  clock.runUntil(from);
  const before = totals(servers);
  clock.runUntil(until + from);
  const after = totals(servers);
  const answered = Math.max(1, after.answered - before.answered);
  const sorted = latencies.toSorted((a, b) => a - b);
  const databaseTime = after.database - before.database;
  return {
    perSecond: answered / (until / 1e6),
    p99Milliseconds: (sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN) / 1_000,
    batchSize: (after.items - before.items) / Math.max(1, after.batches - before.batches),
    used: {
      loop: (after.loop - before.loop) / answered,
      database: databaseTime / answered,
      all: (after.loop - before.loop + after.signing - before.signing + databaseTime) / answered,
    },
    databaseBusy: databaseCores === null ? Number.NaN : databaseTime / until / databaseCores,
  };
}

interface Used {
  loop: number;
  signing: number;
  database: number;
  answered: number;
  batches: number;
  items: number;
}

function totals(servers: readonly { readonly used: () => Used }[]): Used {
  const sum: Used = { loop: 0, signing: 0, database: 0, answered: 0, batches: 0, items: 0 };
  for (const server of servers) {
    const used = server.used();
    for (const part of Object.keys(sum) as (keyof Used)[]) sum[part] += used[part];
  }
  return sum;
}

/** The log of the database: a flush at a time, and each serves all commits that waited for it to begin. */
function createLog(clock: ReturnType<typeof createClock>, flush: number): (then: Step) => void {
  let waiting: Step[] = [];
  let busy = false;
  const begin = () => {
    busy = true;
    const taken = waiting;
    waiting = [];
    clock.at(clock.now() + flush, () => {
      for (const then of taken) then();
      if (waiting.length > 0) begin();
      else busy = false;
    });
  };
  return (then) => {
    waiting.push(then);
    if (!busy) begin();
  };
}

interface ServerParts {
  readonly clock: ReturnType<typeof createClock>;
  readonly cores: Cores;
  readonly databaseMachine: Cores;
  readonly costs: Costs;
  readonly commit: (then: Step) => void;
  readonly network: number;
}

function createServer({ clock, cores, databaseMachine, costs, commit, network }: ServerParts) {
  const loopThread = cores.createThread();
  const onLoop = loopThread.use;
  const backend = databaseMachine.createThread();
  const reader = databaseMachine.createThread();
  const signers = Array.from({ length: signingThreads }, () => cores.createThread());
  const counts = { answered: 0, batches: 0, items: 0 };
  let nextSigner = 0;
  let waiting: Step[] = [];
  let busy = false;
  let endedAt = Number.NEGATIVE_INFINITY;
  let pending = 0;
  /** Begins the batch that is held back. */
  let held: Step | null = null;

  /** Takes what waits once the event loop comes to it: what has arrived meanwhile goes with it. */
  const flushBatch = () =>
    onLoop(costs.loopBatch * shares.sending, () => {
      const batch = waiting.slice(0, mostItems);
      waiting = waiting.slice(mostItems);
      counts.batches += 1;
      counts.items += batch.length;
      const ended = () => {
        endedAt = clock.now();
        busy = false;
        if (waiting.length > 0) schedule();
      };
      const answered = () => {
        onLoop(costs.loopBatch * (1 - shares.sending), () => undefined);
        for (const [index, then] of batch.entries()) {
          onLoop(costs.loop * shares.result, () => {
            then();
            if (index === batch.length - 1) ended();
          });
        }
      };
      clock.at(clock.now() + network, () =>
        backend.use(costs.databaseBatch + costs.database * batch.length, () =>
          commit(() => clock.at(clock.now() + network, answered)),
        ),
      );
    });
  const schedule = () => {
    busy = true;
    clock.at(Math.max(clock.now(), endedAt + interval), flushUnlessHeld);
  };
  /** While signatures keep the cores busy, a batch waits for companions. */
  const flushUnlessHeld = () => {
    const until = endedAt + mostHeld;
    if (pending <= fewSignatures || until <= clock.now()) {
      flushBatch();
      return;
    }
    const go = () => {
      if (held !== go) return;
      held = null;
      flushBatch();
    };
    held = go;
    clock.at(until, go);
  };
  /** What is kept in memory is asked for its age first: those who ask while that is under way share the next reading. */
  let asking: Step[] = [];
  let reading = false;
  const read = (then: Step) => {
    asking.push(then);
    if (!reading) beginReading();
  };
  const beginReading = () => {
    reading = true;
    onLoop(costs.loopRead, () => {
      const taken = asking;
      asking = [];
      clock.at(clock.now() + network, () =>
        reader.use(costs.databaseRead, () =>
          clock.at(clock.now() + network, () =>
            onLoop(costs.loopRead, () => {
              reading = false;
              if (asking.length > 0) beginReading();
              for (const one of taken) one();
            }),
          ),
        ),
      );
    });
  };
  const sign = (then: Step) => {
    nextSigner = (nextSigner + 1) % signers.length;
    pending += 1;
    signers[nextSigner]?.use(costs.signature, () => {
      pending -= 1;
      if (pending <= fewSignatures) held?.();
      then();
    });
  };

  return {
    serve: (answered: Step) =>
      onLoop(costs.loop * shares.request, () =>
        read(() => {
          waiting.push(() =>
            read(() =>
              sign(() =>
                onLoop(costs.loop * shares.answer, () => {
                  counts.answered += 1;
                  answered();
                }),
              ),
            ),
          );
          if (!busy) schedule();
        }),
      ),
    used: (): Used => ({
      ...counts,
      loop: loopThread.used(),
      signing: signers.reduce((sum, signer) => sum + signer.used(), 0),
      database: backend.used() + reader.used(),
    }),
  };
}
