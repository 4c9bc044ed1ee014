/** What the domain asks of whatever turns the packages of a hook into a script (the document's §2.3, `packages`). */

import type { StoreVerbs } from '../../store/store.ts';
import type { HookLayer } from './runner.ts';

/** Exact versions by the name of the package, as a hook holds them. */
export type HookPackages = Readonly<Record<string, string>>;

/** Builds run in the background: `queued`, `running`, and then `ready` or `failed` for good. */
type PackageBuildState = 'queued' | 'running' | 'ready' | 'failed';

export interface PackageBuild {
  readonly id: number;
  readonly state: PackageBuildState;
  /** What to tell the author, with the name of the package; null unless the build failed. */
  readonly failure: string | null;
}

/**
 * What builds are shut in with. `confined`: the two processes of a build see its folder alone and no network; `open`: an
 * operator said that packages are built with what there is (`HOOK_PACKAGES=unconfined`), and there is less than that;
 * `refused`: there is less, or it could not be found out, and packages are refused.
 */
export interface PackageWalls {
  readonly state: 'confined' | 'open' | 'refused';
  /** Why they are `refused`, for operators alone: it may name paths of the machine. Null otherwise. */
  readonly reason: string | null;
  /** What an operator does about `refused`; null otherwise. */
  readonly remedy: string | null;
  readonly layers: readonly HookLayer[];
}

export interface PackageBuilds {
  /** What was found out last: `off` without a registry, null until it is known. Rejects and waits for nothing. */
  walls(): PackageWalls | 'off' | null;
  /**
   * Throws `Failure('value_invalid')` with name `packages` and a message that names the package and the reason: names
   * and versions that are none, too many packages, and what the registry says it does not have. A registry that does
   * not answer within a few seconds refuses nothing here: the build finds out.
   */
  check(packages: HookPackages): Promise<void>;
  /**
   * Queues a build of packages that `check` let pass, at least one, in the transaction that stores the hook; answers
   * the build's id. A version of a hook keeps its build: packages that others depend on stay as they were resolved then.
   */
  queue(tx: StoreVerbs, accountId: number, packages: HookPackages): Promise<number>;
  /** Call it when the transaction has committed: the build need not wait for the next look at the queue. */
  wake(): void;
  /** Those of the account among `ids`, by id. */
  find(accountId: number, ids: readonly number[]): Promise<ReadonlyMap<number, PackageBuild>>;
  /** What `HookRun.packages` takes; null unless the build is ready. Kept in memory. */
  read(accountId: number, id: number): Promise<string | null>;
  /** In the transaction that removes the last version of a hook that used it. */
  remove(tx: StoreVerbs, accountId: number, id: number): Promise<void>;
  /**
   * Called on the node that built it, when a build has become `ready` or `failed`. Every change of a build also raises
   * the account's generation, by which other nodes learn of it.
   */
  onEnd(listener: (accountId: number, build: PackageBuild) => void): void;
}

/** How a build ended. Without a script the digest is of packages that were built before. */
export type PackageResult =
  | { readonly ok: true; readonly digest: string; readonly script: string | null }
  /** `isFinal`: another try would end alike. */
  | { readonly ok: false; readonly reason: string; readonly isFinal: boolean };

/** What a build is made by. */
export interface PackageBuilder {
  /**
   * Found out when it is asked first, and kept; what could not be found out is `refused`, and the next question tries
   * again. Never rejects.
   */
  walls(): Promise<PackageWalls>;
  /** Whether the registry has a version; null when it does not say. */
  has(name: string, version: string): Promise<boolean | null>;
  /**
   * Resolves the packages with all they depend on, and makes a script of them unless `isKnown` of the digest of their
   * contents. Never rejects for what a package or a registry can do. `signal` ends it.
   */
  build(
    packages: HookPackages,
    isKnown: (digest: string) => Promise<boolean>,
    signal?: AbortSignal,
  ): Promise<PackageResult>;
}
