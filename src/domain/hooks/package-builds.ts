/** The interface to the builder that turns a hook's packages into a script (the document's §2.3, `packages`). */

import type { StoreVerbs } from '../../store/store.ts';
import type { HookLayer } from './runner.ts';

/** Exact versions by the name of the package, as a hook holds them. */
export type HookPackages = Readonly<Record<string, string>>;

/** Builds run in the background: `queued`, `running`, and finally `ready` or `failed`. */
type PackageBuildState = 'queued' | 'running' | 'ready' | 'failed';

export interface PackageBuild {
  readonly id: number;
  readonly state: PackageBuildState;
  /** The message for the author, with the name of the package; null unless the build failed. */
  readonly failure: string | null;
}

/**
 * How builds are confined. `confined`: the two processes of a build see only its folder and have no network. `open`:
 * less is available than that, and an operator allowed it (`HOOK_PACKAGES=unconfined`). `refused`: less is available or
 * it could not be determined, and packages are refused.
 */
export interface PackageWalls {
  readonly state: 'confined' | 'open' | 'refused';
  /** Why they are `refused`, for operators only, since it may contain paths of the machine; else null. */
  readonly reason: string | null;
  /** What an operator can do about `refused`; else null. */
  readonly remedy: string | null;
  readonly layers: readonly HookLayer[];
}

export interface PackageBuilds {
  /** The last known answer: `off` without a registry, null while it is unknown. Never rejects or waits. */
  walls(): PackageWalls | 'off' | null;
  /**
   * Throws `Failure('value_invalid')` with name `packages` and a message that names the package and the reason: invalid
   * names and versions, too many packages, and versions that the registry does not have. If the registry does not
   * answer within a few seconds, the check passes and the build finds out.
   */
  check(packages: HookPackages): Promise<void>;
  /**
   * Queues a build of at least one package that passed `check`, in the transaction that stores the hook; returns the
   * build's id. A version of a hook keeps its build: transitive dependencies stay as they were resolved then.
   */
  queue(tx: StoreVerbs, accountId: number, packages: HookPackages): Promise<number>;
  /** Call it after the commit, so that the build does not wait for the next poll of the queue. */
  wake(): void;
  /** The account's builds among `ids`, by id. `verbs`: those of the store, or of a transaction. */
  find(
    verbs: Pick<StoreVerbs, 'packageBuilds'>,
    accountId: number,
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, PackageBuild>>;
  /** The value for `HookRun.packages`; null unless the build is ready. Cached in memory. */
  read(accountId: number, id: number): Promise<string | null>;
  /** Call it in the transaction that removes the last version of a hook that used the build. */
  remove(tx: StoreVerbs, accountId: number, id: number): Promise<void>;
  /**
   * Called on the building node when a build has become `ready` or `failed`. Every change of a build also raises the
   * account's generation, so that other nodes notice it.
   */
  onEnd(listener: (accountId: number, build: PackageBuild) => void): void;
}

/** How a build ended. Without a script, the digest is that of packages built before. */
export type PackageResult =
  | { readonly ok: true; readonly digest: string; readonly script: string | null }
  /** `isFinal`: another attempt would fail in the same way. */
  | { readonly ok: false; readonly reason: string; readonly isFinal: boolean };

/** The interface of the program that makes builds. */
export interface PackageBuilder {
  /**
   * Determined at the first call and kept; if it cannot be determined it is `refused`, and the next call tries again.
   * Never rejects.
   */
  walls(): Promise<PackageWalls>;
  /** Whether the registry has a version; null when it does not answer. */
  has(name: string, version: string): Promise<boolean | null>;
  /**
   * Resolves the packages with all dependencies, and makes a script of them unless `isKnown` returns true for the
   * digest of their contents. Never rejects because of a package or a registry. `signal` aborts it.
   */
  build(
    packages: HookPackages,
    isKnown: (digest: string) => Promise<boolean>,
    signal?: AbortSignal,
  ): Promise<PackageResult>;
}
