import type { Milliseconds } from './time.ts';

/** A build of a hook's packages. */
export interface PackageBuildRecord {
  readonly accountId: number;
  readonly id: number;
  /** Exact versions by the name of the package. */
  readonly packages: Readonly<Record<string, string>>;
  readonly state: 'queued' | 'running' | 'ready' | 'failed';
  /** Digest of the bundle; null until it is ready. */
  readonly digest: string | null;
  /** The message for the author of the hook; null unless it failed. */
  readonly failure: string | null;
  /** How often a node began it: when one takes it up again, the former one is outdated. */
  readonly attempts: number;
  /** When a node may take it; null when it has ended. */
  readonly dueAt: Milliseconds | null;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

/** How a build leaves the state `running`: ended, or to be retried from `dueAt` on. */
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
  /** Those that are ready: some of the account's versions have each. */
  listReady(accountId: number): Promise<PackageBuildRecord[]>;
  /** The number of unfinished builds. */
  countOpen(accountId: number): Promise<number>;
  /**
   * The build that is due longest, of all accounts except those in `except`, becomes `running` (one conditional UPDATE),
   * and is due again at `until`. Null when none is due.
   */
  claim(now: Milliseconds, until: Milliseconds, except: readonly number[]): Promise<PackageBuildRecord | null>;
  /** False when another node has taken up the build since, or it was removed. */
  finish(
    build: Pick<PackageBuildRecord, 'accountId' | 'id' | 'attempts'>,
    end: PackageBuildEnd,
    at: Milliseconds,
  ): Promise<boolean>;
  /** False when there is none. A bundle without builds is purged after a day. */
  remove(accountId: number, id: number): Promise<boolean>;
  /** Keeps an existing script. */
  addBundle(digest: string, script: string, at: Milliseconds): Promise<void>;
  /** Records that a build is about to reference a bundle; false when there is none. */
  useBundle(digest: string, at: Milliseconds): Promise<boolean>;
  findBundle(digest: string): Promise<string | null>;
}
