/** What packages, their versions and their ranges are called: our own grammar, applied before any library reads a text. */

import semver from 'semver';

const part = '[A-Za-z0-9~-][A-Za-z0-9._~-]*';
/** As the registry names packages, with the length that it allows; old ones have capitals. */
const nameForm = new RegExp(`^(?=.{1,214}$)(?:@${part}/)?${part}$`);
/** npm gives these to no package: one is the folder that packages stand in. */
const reservedNames = ['node_modules', 'favicon.ico'];

/** Whether a registry can have a package of this name. One that passes is one or two parts of a path, none of them `..`. */
export function isPackageName(value: unknown): value is string {
  return typeof value === 'string' && nameForm.test(value) && !reservedNames.includes(value.toLowerCase());
}

const mostVersionCharacters = 128;
const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const number = '(?:0|[1-9][0-9]{0,15})';
const versionForm = new RegExp(`^${number}\\.${number}\\.${number}(?:-${identifiers})?$`);

/** Whether it is an exact version (Semantic Versioning 2.0.0 §9) as a registry writes it: without build metadata. */
export function isPackageVersion(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > mostVersionCharacters || !versionForm.test(value)) return false;
  return semver.valid(value) === value;
}

const mostRangeCharacters = 256;
const wild = `(?:[xX*]|${number})`;
const partial = `[v=]?${wild}(?:\\.${wild}(?:\\.${wild}(?:-${identifiers})?(?:\\+${identifiers})?)?)?`;
const comparator = `(?:(?:[<>]=?|=|~>?|\\^) *)?${partial}`;
/** One alternative of a range: versions with a hyphen between them, or comparators that all hold. */
const alternativeForm = new RegExp(`^(?:${partial} +- +${partial}|${comparator}(?: +${comparator})*)?$`);

/** A range of npm as `semver` reads it; `latest` is every version, of which that tag is preferred. Null when it is none. */
export function readPackageRange(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > mostRangeCharacters) return null;
  if (value === 'latest') return '*';
  if (!value.split('||').every((text) => alternativeForm.test(text.replace(/^ +| +$/g, '')))) return null;
  return semver.validRange(value) === null ? null : value;
}

/** A package that another one needs. */
export interface PackageDependency {
  /** What `require` calls it: the folder below `node_modules`. */
  readonly place: string;
  /** What the registry calls it: the same, but for an alias. */
  readonly name: string;
  readonly range: string;
}

const aliasForm = /^npm:(@?[^@]+)(?:@(.*))?$/;

/** A member of `dependencies`. Null unless it is a package of the registry with a range, or an alias of one (`npm:a@1`). */
export function readPackageDependency(place: string, value: unknown): PackageDependency | null {
  if (!isPackageName(place) || typeof value !== 'string' || value.length > mostRangeCharacters + 256) return null;
  const [, alias, aliased = '*'] = aliasForm.exec(value) ?? [];
  const name = alias ?? place;
  const range = readPackageRange(alias === undefined ? value : aliased);
  return isPackageName(name) && range !== null ? { place, name, range } : null;
}

/** Whether it is one digest by SHA-512 in the form of Subresource Integrity. */
export function isPackageIntegrity(value: unknown): value is string {
  return typeof value === 'string' && /^sha512-[A-Za-z0-9+/]{86}==$/.test(value);
}
