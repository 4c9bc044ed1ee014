/** What a build takes from strangers: names and places are read by this before anything is asked, made or written. */

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
  /** Where a tarball is downloaded from; null for a place that is not the registry. */
  readTarball(value: unknown, registry: URL): URL | null;
  /** The path of an entry of a tarball within its package; empty for the folder itself, null for one that leaves it. */
  readEntryPath(path: string): string | null;
  /** Whether a path, of which all is resolved, lies below a folder. */
  isBelow(folder: string, path: string): boolean;
}

/**
 * Packages copied from the public registry name it still: the tarball is taken from the configured one, as npm does.
 */
const publicHost = 'registry.npmjs.org';
const mostEntryCharacters = 1024;
const mostPartBytes = 255;
/**
 * No blanks and nothing outside of ASCII: what the parser of URLs would drop or rewrite. No backslash, which it turns.
 */
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
  // The first folder is `package`, or whatever its author called it.
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
