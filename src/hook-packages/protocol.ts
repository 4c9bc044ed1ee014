/**
 * What the service and the two processes of a build say to each other, and the bounds of a build. Both processes are
 * taken for hostile: the packages of strangers pass through them.
 */

import type { HookPackages } from '../domain/hooks/package-builds.ts';

const mebibyte = 1024 * 1024;

export const limits = {
  /** Packages with all that they depend on. */
  packages: 100,
  /** Of one file or one description, as the registry sends it and decompressed. */
  answerBytes: 16 * mebibyte,
  unpackedBytes: 64 * mebibyte,
  files: 10_000,
  /** Of the finished script: libphonenumber-js with its numbers makes a fifth of it. */
  scriptBytes: mebibyte,
  milliseconds: 60_000,
  /** Of one request to the registry. */
  requestMilliseconds: 15_000,
  /** Two a package, and as many again for those that stand in the tree twice. */
  requests: 400,
  requestsAtOnce: 4,
  /** All that the registry sends for one build. */
  fetchedBytes: 512 * mebibyte,
  /** Of V8's heap; the rest of a process is buffers of bounded size. */
  heapMebibytes: 256,
  /** Of one message to the service: a tree of a hundred packages, each deep within another, is the longest. */
  treeBytes: mebibyte,
  /** A script as JSON, of which every character may be escaped. */
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
  /** Where it stands below the folder of the build: `node_modules/a/node_modules/b`. */
  readonly path: string;
}

/** In words for the author; `isFinal`: another try would end alike. */
export interface Refused {
  readonly op: 'refused';
  readonly reason: string;
  readonly isFinal: boolean;
}

export type ToFetch =
  | { readonly op: 'resolve'; readonly registry: string; readonly packages: HookPackages }
  /** An answer of the registry, whose body follows as bytes; with a `failure` there is none. */
  | { readonly op: 'got'; readonly id: number; readonly status: number; readonly failure: string | null }
  /** The bundle is not known yet. */
  | { readonly op: 'unpack' };

export type FromFetch =
  | { readonly op: 'ready' }
  /** A request to the registry: the only way out that the process has. */
  | { readonly op: 'get'; readonly id: number; readonly url: string; readonly accept: string }
  | { readonly op: 'resolved'; readonly packages: readonly ResolvedPackage[] }
  | { readonly op: 'unpacked' }
  | Refused;

export interface ToBundle {
  readonly op: 'bundle';
  readonly names: readonly string[];
}

export type FromBundle = { readonly op: 'ready' } | { readonly op: 'bundled'; readonly script: string } | Refused;
