/** Grammar for package names, versions and ranges. It is our own, and is applied before any library parses a text. */

import valid from 'semver/functions/valid.js';
import validRange from 'semver/ranges/valid.js';

const part = '[A-Za-z0-9~-][A-Za-z0-9._~-]*';
/** The registry's rule for names, including the maximum length; old names have capitals. */
const nameForm = new RegExp(`^(?=.{1,214}$)(?:@${part}/)?${part}$`);
/** npm allows these names for no package: one is the folder that packages are in. */
const reservedNames = ['node_modules', 'favicon.ico'];

/** Whether a registry can have a package of this name. A valid name is one or two path segments, none of them `..`. */
export function isPackageName(value: unknown): value is string {
  return typeof value === 'string' && nameForm.test(value) && !reservedNames.includes(value.toLowerCase());
}

const mostVersionCharacters = 128;
const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const number = '(?:0|[1-9][0-9]{0,15})';
const versionForm = new RegExp(`^${number}\\.${number}\\.${number}(?:-${identifiers})?$`);

/** Whether it is an exact version (Semantic Versioning 2.0.0 §9) as registries write it: without build metadata. */
export function isPackageVersion(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > mostVersionCharacters || !versionForm.test(value)) return false;
  return valid(value) === value;
}

const mostRangeCharacters = 256;
const wild = `(?:[xX*]|${number})`;
const partial = `[v=]?${wild}(?:\\.${wild}(?:\\.${wild}(?:-${identifiers})?(?:\\+${identifiers})?)?)?`;
const twoVersions = new RegExp(`^${partial} - ${partial}$`);
/**
 * One of the comparators that must all hold. They are read one by one: `=1` has two readings, and a pattern for all of
 * them would try each reading of one with each of the others.
 */
const comparator = new RegExp(`(?:(?:[<>]=?|=|~>?|\\^) ?)?${partial}(?: |$)`, 'y');

/** An alternative of a range, without blanks around it and with single ones in it. */
function isAlternative(text: string): boolean {
  if (twoVersions.test(text)) return true;
  comparator.lastIndex = 0;
  while (comparator.lastIndex < text.length) if (!comparator.test(text)) return false;
  return true;
}

function withSingleBlanks(text: string): string {
  return text
    .split(' ')
    .filter((part) => part !== '')
    .join(' ');
}

/**
 * An npm range as `semver` parses it; `latest` matches every version and prefers the tagged one. Null if it is invalid.
 */
export function readPackageRange(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > mostRangeCharacters) return null;
  if (value === 'latest') return '*';
  if (!value.split('||').every((text) => isAlternative(withSingleBlanks(text)))) return null;
  return validRange(value) === null ? null : value;
}

/** A dependency of a package. */
export interface PackageDependency {
  /** The name for `require`: the folder below `node_modules`. */
  readonly place: string;
  /** The name in the registry: the same, except for an alias. */
  readonly name: string;
  readonly range: string;
}

const aliasForm = /^npm:(@?[^@]+)(?:@(.*))?$/;

/**
 * A member of `dependencies`. Null unless it is a package of the registry with a range, or an alias of one (`npm:a@1`).
 */
export function readPackageDependency(place: string, value: unknown): PackageDependency | null {
  if (!isPackageName(place) || typeof value !== 'string' || value.length > mostRangeCharacters + 256) return null;
  const [, alias, aliased = '*'] = aliasForm.exec(value) ?? [];
  const name = alias ?? place;
  const range = readPackageRange(alias === undefined ? value : aliased);
  return isPackageName(name) && range !== null ? { place, name, range } : null;
}

/** Whether it is a single SHA-512 digest in the form of Subresource Integrity. */
export function isPackageIntegrity(value: unknown): value is string {
  return typeof value === 'string' && /^sha512-[A-Za-z0-9+/]{86}==$/.test(value);
}
