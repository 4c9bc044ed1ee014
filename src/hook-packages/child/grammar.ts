/** Validates untrusted names and paths before a build requests, creates or writes anything. */

import { sep } from 'node:path';
import {
  isPackageIntegrity,
  isPackageName,
  isPackageVersion,
  type PackageDependency,
  readPackageDependency,
} from '../../domain/hooks/package-grammar.ts';
import { limits } from '../protocol.ts';

export interface Grammar {
  isName(value: unknown): value is string;
  isVersion(value: unknown): value is string;
  isIntegrity(value: unknown): value is string;
  readDependency(place: string, range: unknown): PackageDependency | null;
  /** The URL to download a tarball from; null when it is not on the registry. */
  readTarball(value: unknown, registry: URL): URL | null;
  /** A tarball entry's path within its package; empty for the folder itself, null when it leaves the folder. */
  readEntryPath(path: string): string | null;
  /** Whether a fully resolved path lies below a folder. */
  isBelow(folder: string, path: string): boolean;
}

/**
 * Packages copied from the public registry still name it: their tarballs come from the configured registry, as in npm.
 */
const publicHost = 'registry.npmjs.org';
const mostEntryCharacters = 1024;
const mostPartBytes = 255;
/** Excludes what the URL parser would drop or rewrite: spaces, anything outside ASCII, and backslashes. */
const urlForm = /^https?:\/\/[!-[\]-~]+$/;

function readTarball(value: unknown, registry: URL): URL | null {
  if (typeof value !== 'string' || value.length > limits.urlCharacters || !urlForm.test(value)) return null;
  const url = URL.parse(value);
  if (url?.username !== '' || url.password !== '') return null;
  const own = url.host === publicHost ? URL.parse(url.pathname, registry.href) : url;
  return own?.origin === registry.origin ? own : null;
}

function isPart(part: string): boolean {
  return part !== '..' && Buffer.byteLength(part) <= mostPartBytes && !/[\p{Cc}\p{Cf}\\]/u.test(part);
}

function readEntryPath(path: string): string | null {
  if (path.length > mostEntryCharacters || path.startsWith('/')) return null;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  // The first folder is `package`, or any name its author chose.
  return parts.every(isPart) ? parts.slice(1).join('/') : null;
}

export const grammar: Grammar = {
  isName: isPackageName,
  isVersion: isPackageVersion,
  isIntegrity: isPackageIntegrity,
  readDependency: readPackageDependency,
  readTarball,
  readEntryPath,
  isBelow: (folder, path) => path.startsWith(folder + sep),
};
