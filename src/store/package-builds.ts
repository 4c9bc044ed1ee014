import type { Milliseconds } from './time.ts';

/** The packages of a hook on their way to a script. */
export interface PackageBuildRecord {
  readonly accountId: number;
  readonly id: number;
  /** Exact versions by the name of the package. */
  readonly packages: Readonly<Record<string, string>>;
  readonly state: 'queued' | 'running' | 'ready' | 'failed';
  /** Of the bundle; null until it is ready. */
  readonly digest: string | null;
  /** In words for the author of the hook; null unless it failed. */
  readonly failure: string | null;
  /** How often a node began with it: who takes it up again outdates whoever had it before. */
  readonly attempts: number;
  /** From when on a node may take it; null when it has ended. */
  readonly dueAt: Milliseconds | null;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

/** How a build leaves the state `running`: ended, or to be tried again from `dueAt` on. */
export interface PackageBuildEnd {
  readonly state: 'ready' | 'failed' | 'queued';
  readonly digest?: string;
  readonly failure?: string;
  readonly dueAt?: Milliseconds;
}

export interface PackageBuildStore {
  /** Queues a build, due at once. */
  create(build: Pick<PackageBuildRecord, 'accountId' | 'packages' | 'createdAt'>): Promise<PackageBuildRecord>;
  list(accountId: number, ids: readonly number[]): Promise<PackageBuildRecord[]>;
  /** Those that have not ended. */
  countOpen(accountId: number): Promise<number>;
  /**
   * The build that is due longest becomes `running` (one conditional UPDATE), and is due again at `until`. Null when
   * none is due.
   */
  claim(now: Milliseconds, until: Milliseconds): Promise<PackageBuildRecord | null>;
  /** False when the build has been taken up by another node since, or removed. */
  finish(
    build: Pick<PackageBuildRecord, 'accountId' | 'id' | 'attempts'>,
    end: PackageBuildEnd,
    at: Milliseconds,
  ): Promise<boolean>;
  /** False when there is none. A bundle that no build refers to any more is purged after a day. */
  remove(accountId: number, id: number): Promise<boolean>;
  /** Keeps the script that is there already. */
  addBundle(digest: string, script: string, at: Milliseconds): Promise<void>;
  /** Notes that a build is about to refer to a bundle; false when there is none. */
  useBundle(digest: string, at: Milliseconds): Promise<boolean>;
  findBundle(digest: string): Promise<string | null>;
}
