/** Which account has which hook process: one each, as many as memory allows, the least used let go first. */

import { minute } from '../domain/durations.ts';
import type { HookCommand } from './command.ts';
import { reasonIn } from './last-words.ts';
import { type Member, runsAtOnce, startMember } from './member.ts';
import type { GuestFetch } from './protocol.ts';
import { type Begin, createQueues } from './queues.ts';
import { isIdle, makeRoom, type Place, retireLeastUsed } from './room.ts';

const sweepMilliseconds = 1000;
const oldestMilliseconds = 10 * minute;
/** Where there are so many, one account's makes room for a spare one when it rested so long. */
const fewestForSpare = 8;
const restMilliseconds = 1000;

export interface PoolOptions {
  /** How processes are started; rejects when none can be. */
  readonly command: Promise<HookCommand>;
  readonly fetch: GuestFetch;
  readonly mostProcesses: number;
  /** Unused processes are let go after so long. */
  readonly idleMilliseconds: number;
  readonly waitMilliseconds: number;
  /** Whether a process is kept ready for the next account. */
  readonly keepsSpare: boolean;
}

export interface Pool {
  /**
   * Does `work` in the account's process as soon as it has room; null when it had none in time. `atLeast` extends the
   * pool's own wait.
   */
  use<Result>(accountId: number, work: (member: Member) => Promise<Result>, atLeast?: number): Promise<Result | null>;
  recycle(accountId: number): void;
  /** Why no process could be started when that was last tried; null when it could. */
  trouble(): string | null;
  processes(): readonly { readonly accountId: number | null; readonly pid: number | null; readonly underWay: number }[];
  close(): Promise<void>;
}

export function createPool(options: PoolOptions): Pool {
  const { command, fetch, mostProcesses, idleMilliseconds, waitMilliseconds, keepsSpare } = options;
  const places = new Set<Place>();
  const queues = createQueues();
  let known: HookCommand | null = null;
  let trouble: string | null = null;
  let isClosed = false;
  let spare: Place | null = null;

  const started = command.then(
    (found) => {
      known = found;
      if (keepsSpare) spare = start();
      dispatchAll();
    },
    (error: unknown) => {
      trouble = error instanceof Error ? error.message : String(error);
    },
  );

  function start(): Place | null {
    if (known === null || isClosed || places.size >= mostProcesses) return null;
    const member = startMember({ command: known, fetch, changed: dispatchAll });
    const now = performance.now();
    const place: Place = { member, bornAt: now, boundAt: Number.POSITIVE_INFINITY, usedAt: now };
    places.add(place);
    void member.ready.then((isReady) => {
      place.usedAt = performance.now();
      if (isReady) trouble = null;
      else if (!member.isReady() && !isClosed) noteFailure(place);
      dispatchAll();
    });
    void member.process.gone.then(() => {
      places.delete(place);
      if (spare === place) spare = null;
      dispatchAll();
    });
    return place;
  }

  /** Nobody waits for what does not start. */
  function noteFailure({ member }: Place): void {
    trouble = `a hook process does not start: ${reasonIn(member.process.lastWords()) || 'it ended at once'}`;
    const account = member.account();
    if (account !== null) queues.giveUp(account);
  }

  function placeOf(accountId: number): Place | undefined {
    for (const place of places) {
      if (place.member.account() === accountId && !place.member.isRetired()) return place;
    }
    return undefined;
  }

  /** The spare one, or a new one, or one in the place of the least used that has nothing to do. */
  function provide(accountId: number): void {
    let place = spare?.member.isRetired() ? null : spare;
    spare = null;
    if (!place) {
      if (places.size >= mostProcesses) makeRoom(places);
      place = start();
    }
    if (!place) return;
    place.member.bind(accountId);
    place.boundAt = performance.now();
  }

  function dispatchAll(): void {
    for (const [accountId, queue] of queues.all()) dispatch(accountId, queue);
    if (keepsSpare && !spare && trouble === null && queues.isEmpty() && hasUse()) keepSpare();
  }

  /** The next account, or the next change, finds a process that is ready. */
  function keepSpare(): void {
    if (places.size < mostProcesses) spare = start();
    else if (mostProcesses >= fewestForSpare) retireLeastUsed(places, performance.now() - restMilliseconds);
  }

  function hasUse(): boolean {
    for (const { member } of places) if (member.account() !== null) return true;
    return false;
  }

  function dispatch(accountId: number, queue: Begin[]): void {
    if (!placeOf(accountId)) provide(accountId);
    const place = placeOf(accountId);
    if (!place?.member.isReady()) return;
    const { member } = place;
    while (queue.length > 0 && !member.isRetired() && member.underWay() < runsAtOnce) {
      place.usedAt = performance.now();
      queue[0]?.(member);
    }
  }

  /** Of age, or unused: whatever comes next gets a new one. */
  function sweep(): void {
    const now = performance.now();
    for (const place of places) {
      const { member, bornAt, usedAt } = place;
      const isUnused = isIdle(member) && now - usedAt > idleMilliseconds;
      const isOld = member.account() !== null && now - bornAt > oldestMilliseconds;
      if (isOld || (isUnused && (place !== spare || !hasUse()))) member.retire();
    }
    dispatchAll();
  }

  const sweeper = setInterval(sweep, Math.min(sweepMilliseconds, idleMilliseconds)).unref();
  // Of a service that ends in haste: what still waits for its input to close is not left to that.
  const killAll = () => {
    for (const { member } of places) member.process.kill();
  };
  process.once('exit', killAll);

  return {
    use(accountId, work, atLeast = 0) {
      if (isClosed || (known === null && trouble !== null)) return Promise.resolve(null);
      const result = queues.wait(accountId, Math.max(waitMilliseconds, atLeast), work);
      dispatchAll();
      return result;
    },
    recycle(accountId) {
      const member = placeOf(accountId)?.member;
      // One that still starts has read nothing yet.
      if (member?.isReady()) member.retire();
    },
    trouble: () => trouble,
    processes: () =>
      [...places].map(({ member }) => ({
        accountId: member.account(),
        pid: member.process.pid,
        underWay: member.underWay(),
      })),
    async close() {
      isClosed = true;
      clearInterval(sweeper);
      process.off('exit', killAll);
      await started;
      for (const [accountId] of queues.all()) queues.giveUp(accountId);
      const gone = [...places].map(({ member }) => {
        member.kill();
        return member.process.gone;
      });
      await Promise.all(gone);
    },
  };
}
