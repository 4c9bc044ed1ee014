/** What the service and the process that builds packages say to each other, and the bounds of a build. */

import type { HookPackages } from '../domain/hooks/package-builds.ts';

export const limits = {
  /** Packages with all that they depend on. */
  packages: 100,
  tarballBytes: 16 * 1024 * 1024,
  unpackedBytes: 64 * 1024 * 1024,
  files: 10_000,
  /** Of the finished script: libphonenumber-js with its numbers makes a fifth of it. */
  scriptBytes: 1024 * 1024,
  milliseconds: 60_000,
  /** Of V8's heap; the rest of the process is buffers of bounded size. */
  heapMebibytes: 256,
} as const;

/** One package of a tree, as the registry describes it. */
export interface ResolvedPackage {
  readonly name: string;
  readonly version: string;
  /** Subresource Integrity with sha512. */
  readonly integrity: string;
  /** Where it stands below the folder of the build: `node_modules/a/node_modules/b`. */
  readonly path: string;
}

export type ToBuild =
  | {
      readonly op: 'resolve';
      readonly registry: string;
      /** Certificates that are trusted beside Node's own (`NODE_EXTRA_CA_CERTS`), all together; empty when there are none. */
      readonly certificates: readonly string[];
      readonly packages: HookPackages;
    }
  /** The bundle is not known yet. */
  | { readonly op: 'bundle' };

export type FromBuild =
  | { readonly op: 'resolved'; readonly packages: readonly ResolvedPackage[] }
  | { readonly op: 'bundled'; readonly script: string }
  /** In words for the author; `isFinal`: another try would end alike. */
  | { readonly op: 'refused'; readonly reason: string; readonly isFinal: boolean };
