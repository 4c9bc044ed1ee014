/**
 * The messages between the service and the two processes of a build, and the limits of a build. Both processes are
 * untrusted: third-party packages pass through them.
 */

import type { HookPackages } from '../domain/hooks/package-builds.ts';

const mebibyte = 1024 * 1024;

export const limits = {
  /** Packages including all their dependencies. */
  packages: 100,
  /** One file or description, as sent and decompressed. */
  answerBytes: 16 * mebibyte,
  unpackedBytes: 64 * mebibyte,
  files: 10_000,
  /** The finished script; libphonenumber-js with its metadata takes a fifth of this. */
  scriptBytes: mebibyte,
  milliseconds: 60_000,
  /** One request to the registry. */
  requestMilliseconds: 15_000,
  /** Two per package, doubled for packages that occur in the tree twice. */
  requests: 400,
  requestsAtOnce: 4,
  /** Everything the registry sends for one build. */
  fetchedBytes: 512 * mebibyte,
  /** V8's heap; the rest of a process is buffers of limited size. */
  heapMebibytes: 256,
  /** One message to the service; the longest is a tree of a hundred packages, each nested in another. */
  treeBytes: mebibyte,
  /** A script as JSON, where every character may be escaped. */
  bundledBytes: 7 * mebibyte,
  urlCharacters: 2048,
  pathCharacters: 4096,
} as const;

/** One package of a tree, as the registry describes it. */
export interface ResolvedPackage {
  readonly name: string;
  readonly version: string;
  /** Subresource Integrity with sha512. */
  readonly integrity: string;
  /** Its path below the build folder: `node_modules/a/node_modules/b`. */
  readonly path: string;
}

/** `reason` is for the hook's author; `isFinal`: a retry would fail too. */
export interface Refused {
  readonly op: 'refused';
  readonly reason: string;
  readonly isFinal: boolean;
}

export type ToFetch =
  | { readonly op: 'resolve'; readonly registry: string; readonly packages: HookPackages }
  /** An answer from the registry. Its body follows as bytes, unless there is a `failure`. */
  | { readonly op: 'got'; readonly id: number; readonly status: number; readonly failure: string | null }
  /** The bundle is not cached yet. */
  | { readonly op: 'unpack' };

export type FromFetch =
  | { readonly op: 'ready' }
  /** A request to the registry: the only way the process can reach the network. */
  | { readonly op: 'get'; readonly id: number; readonly url: string; readonly accept: string }
  | { readonly op: 'resolved'; readonly packages: readonly ResolvedPackage[] }
  | { readonly op: 'unpacked' }
  | Refused;

export interface ToBundle {
  readonly op: 'bundle';
  readonly names: readonly string[];
}

export type FromBundle = { readonly op: 'ready' } | { readonly op: 'bundled'; readonly script: string } | Refused;
