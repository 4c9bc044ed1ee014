/** The builds of packages: a queue in the store; each node works on one build at a time. */

import type { Services } from '../../services.ts';
import type { PackageBuildEnd, PackageBuildRecord } from '../../store/package-builds.ts';
import { stackOf } from '../describe.ts';
import { Failure } from '../failure.ts';
import { checkPackages } from './check-packages.ts';
import { keepWalls } from './kept-walls.ts';
import type { PackageBuild, PackageBuilder, PackageBuilds, PackageResult } from './package-builds.ts';

const lookEveryMilliseconds = 5_000;
/** Longer than a build may take: after this, a dead node has lost its build. */
const leaseMilliseconds = 90_000;
const mostAttempts = 3;
const pauseMilliseconds = 10_000;
const mostOpen = 10;
const mostScripts = 64;

type QueueServices = Pick<Services, 'store' | 'clock' | 'log'>;
type Listener = Parameters<PackageBuilds['onEnd']>[0];

/** Why the hook of a build cannot run though its packages are built; null if it can. */
export type TryBuilt = (build: PackageBuildRecord, script: string) => Promise<string | null>;

/** The builds, and the work on them. `stop` returns unfinished builds to the queue. */
export interface PackageQueue extends PackageBuilds {
  start(): void;
  stop(): Promise<void>;
}

function view({ id, state, failure }: PackageBuildRecord): PackageBuild {
  return { id, state, failure };
}

/** The state after a build's end, as its builder reports it. */
function endOf({ attempts }: PackageBuildRecord, result: PackageResult, now: number): PackageBuildEnd {
  if (result.ok) return { state: 'ready', digest: result.digest };
  if (result.isFinal || attempts >= mostAttempts) return { state: 'failed', failure: result.reason };
  return { state: 'queued', dueAt: now + pauseMilliseconds };
}

async function conclude(
  { store, clock }: QueueServices,
  build: PackageBuildRecord,
  result: PackageResult,
): Promise<PackageBuildEnd | null> {
  const now = clock.now();
  return store.transaction(async (tx) => {
    let end = endOf(build, result, now);
    if (result.ok && result.script !== null) await tx.packageBuilds.addBundle(result.digest, result.script, now);
    // The known bundle has been purged meanwhile.
    else if (result.ok && !(await tx.packageBuilds.useBundle(result.digest, now)))
      end = { state: 'queued', dueAt: now };
    return (await tx.packageBuilds.finish(build, end, now)) ? end : null;
  });
}

/** Loads scripts by their digest; the most recently used are cached. */
function createScripts(store: QueueServices['store']): (digest: string) => Promise<string | null> {
  const kept = new Map<string, string>();
  return async (digest) => {
    const script = kept.get(digest) ?? (await store.packageBuilds.findBundle(digest));
    if (script === null) return null;
    kept.delete(digest);
    kept.set(digest, script);
    const [oldest] = kept.keys();
    if (kept.size > mostScripts && oldest !== undefined) kept.delete(oldest);
    return script;
  };
}

function createWorker(services: QueueServices, builder: PackageBuilder | null, tryBuilt: TryBuilt, tell: Listener) {
  const { store, clock, log } = services;
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  let again = false;
  let timer: NodeJS.Timeout | null = null;

  async function buildOne(build: PackageBuildRecord): Promise<void> {
    const isKnown = (digest: string) => store.packageBuilds.useBundle(digest, clock.now());
    const result: PackageResult = builder
      ? await builder.build(build.packages, isKnown, stopping.signal)
      : { ok: false, reason: 'this service does not allow packages', isFinal: true };
    if (stopping.signal.aborted && !result.ok) {
      await store.packageBuilds.finish(build, { state: 'queued', dueAt: clock.now() }, clock.now());
      return;
    }
    await settle(build, await tried(build, result));
  }

  async function tried(build: PackageBuildRecord, result: PackageResult): Promise<PackageResult> {
    const script = result.ok ? (result.script ?? (await store.packageBuilds.findBundle(result.digest))) : null;
    const reason = script === null ? null : await tryBuilt(build, script);
    return reason === null ? result : { ok: false, reason, isFinal: true };
  }

  async function settle(build: PackageBuildRecord, result: PackageResult): Promise<void> {
    const end = await conclude(services, build, result);
    if (!end || end.state === 'queued') return;
    log.info(`packages ${end.state}`, { milliseconds: clock.now() - build.createdAt, reason: end.failure ?? '' });
    tell(build.accountId, { id: build.id, state: end.state, failure: end.failure ?? null });
  }

  /** Accounts take turns, each with the build that is due longest: a build may take a minute, and be tried again. */
  async function claimInTurn(served: Set<number>): Promise<PackageBuildRecord | null> {
    const claim = () => store.packageBuilds.claim(clock.now(), clock.now() + leaseMilliseconds, [...served]);
    let build = await claim();
    if (!build && served.size > 0) {
      served.clear();
      build = await claim();
    }
    if (build) served.add(build.accountId);
    return build;
  }

  async function workThrough(): Promise<void> {
    const served = new Set<number>();
    while (!stopping.signal.aborted) {
      const build = await claimInTurn(served);
      if (!build) return;
      if (build.attempts <= mostAttempts) await buildOne(build);
      // The process that had it before ended during the build.
      else await settle(build, { ok: false, reason: 'the packages could not be built', isFinal: true });
    }
  }

  function wake(): void {
    again = true;
    if (running || stopping.signal.aborted) return;
    again = false;
    running = workThrough()
      .catch((error: unknown) => log.error('packages not built', { stack: stackOf(error) }))
      .finally(() => {
        running = null;
        if (again) wake();
      });
  }

  return {
    wake,
    start(): void {
      timer ??= setInterval(wake, lookEveryMilliseconds).unref();
      wake();
    },
    async stop(): Promise<void> {
      if (timer) clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}

/** `given` is null when packages are switched off. */
export function createPackageQueue(
  services: QueueServices,
  given: PackageBuilder | null,
  tryBuilt: TryBuilt = async () => null,
): PackageQueue {
  const { store, clock } = services;
  const listeners: Listener[] = [];
  const scriptOf = createScripts(store);
  const walls = given ? keepWalls(services, given) : null;
  const builder = given && walls ? { ...given, walls: walls.ask } : null;
  const worker = createWorker(services, builder, tryBuilt, (accountId, build) => {
    for (const listener of listeners) listener(accountId, build);
  });
  return {
    ...worker,
    start() {
      walls?.last();
      worker.start();
    },
    walls: () => (walls ? walls.last() : 'off'),
    check: (packages) => checkPackages(packages, builder),
    async queue(tx, accountId, packages) {
      if ((await tx.packageBuilds.countOpen(accountId)) >= mostOpen) {
        throw new Failure('rate_limited', { name: 'packages', retryAfterSeconds: 60 });
      }
      const { id } = await tx.packageBuilds.create({ accountId, packages, createdAt: clock.now() });
      return id;
    },
    async find(verbs, accountId, ids) {
      const found = ids.length > 0 ? await verbs.packageBuilds.list(accountId, ids) : [];
      return new Map(found.map((build) => [build.id, view(build)]));
    },
    async read(accountId, id) {
      const [build] = await store.packageBuilds.list(accountId, [id]);
      return build?.digest ? scriptOf(build.digest) : null;
    },
    async remove(tx, accountId, id) {
      await tx.packageBuilds.remove(accountId, id);
    },
    onEnd: (listener) => void listeners.push(listener),
  };
}
