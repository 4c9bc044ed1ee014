/** Package descriptions and files from the registry, requested through the service. Both are untrusted. */

import { createHash } from 'node:crypto';
import semver from 'semver';
import type { PackageDependency } from '../../domain/hooks/package-grammar.ts';
import type { Grammar } from './grammar.ts';
import { PackageRefusal } from './refusal.ts';

/** The parts of a package's description that a build uses. */
export interface Description {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly tarball: string;
  readonly dependencies: readonly PackageDependency[];
}

export interface Registry {
  /** The best version of a range. Throws a `PackageRefusal`. */
  describe(wanted: PackageDependency): Promise<Description>;
  /** The verified tarball of a package. Throws a `PackageRefusal`. */
  download(description: Description): Promise<Buffer>;
}

/** The body of a good answer (200). Throws a `PackageRefusal` that names `label`. */
export type Get = (url: string, accept: string, label: string) => Promise<Buffer>;

type Members = Readonly<Record<string, unknown>>;

const installScripts = ['preinstall', 'install', 'postinstall'];
const described = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8';
const anything = '*/*';

/** The own members of an object; empty for any other value. */
function membersOf(value: unknown): Members {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return Object.assign(Object.create(null), isObject ? value : {});
}

/** Reads each member of `dependencies`. Throws a `PackageRefusal` for one that no registry resolves. */
export function readDependencies(dependencies: Members, wantedBy: string, grammar: Grammar): PackageDependency[] {
  return Object.entries(dependencies).map(([place, range]) => {
    const read = grammar.readDependency(place, range);
    if (read) return read;
    const [name, by] = [place, range].map((value) => (JSON.stringify(value) ?? 'nothing').slice(0, 120));
    if (!grammar.isName(place))
      throw new PackageRefusal(`${wantedBy} depends on ${name}, which is not a valid package name`);
    throw new PackageRefusal(`${wantedBy} depends on ${place} by ${by}, which is not a version in the registry`);
  });
}

function readManifest(value: unknown, name: string, version: string, registry: URL, grammar: Grammar): Description {
  const manifest = membersOf(value);
  const label = `${name}@${version}`;
  if (manifest['name'] !== name || manifest['version'] !== version) {
    throw new PackageRefusal(`the registry describes ${label} as another package`);
  }
  const scripts = membersOf(manifest['scripts']);
  if (manifest['hasInstallScript'] === true || installScripts.some((script) => script in scripts)) {
    throw new PackageRefusal(`${label} wants to run a script when it is installed`);
  }
  const { integrity, tarball } = membersOf(manifest['dist']);
  if (!grammar.isIntegrity(integrity)) throw new PackageRefusal(`the registry gives no sha512 digest of ${label}`);
  const from = grammar.readTarball(tarball, registry);
  if (!from) throw new PackageRefusal(`the registry redirects to another place for ${label}`);
  const optional = membersOf(manifest['optionalDependencies']);
  const all = Object.entries(membersOf(manifest['dependencies']));
  const required = Object.fromEntries(all.filter(([other]) => !(other in optional)));
  return { name, version, integrity, tarball: from.href, dependencies: readDependencies(required, label, grammar) };
}

/** Chooses as npm does: `latest` if it is in the range, else the highest; deprecated versions come last. */
function pickVersion(packument: Members, range: string, grammar: Grammar): string | null {
  const versions = membersOf(packument['versions']);
  const { latest } = membersOf(packument['dist-tags']);
  const isGood = (version: string) => !membersOf(versions[version])['deprecated'];
  if (grammar.isVersion(latest) && latest in versions && isGood(latest)) {
    if (range === '*' || semver.satisfies(latest, range)) return latest;
  }
  const fitting = Object.keys(versions).filter(
    (version) => grammar.isVersion(version) && semver.satisfies(version, range),
  );
  const best = (all: readonly string[]) => semver.maxSatisfying(all, range);
  return best(fitting.filter(isGood)) ?? best(fitting);
}

export function openRegistry(address: string, get: Get, grammar: Grammar): Registry {
  const registry = new URL(address.endsWith('/') ? address : `${address}/`);
  const packuments = new Map<string, Promise<Members>>();

  async function readPackument(name: string, label: string): Promise<Members> {
    const url = new URL(name.replaceAll('/', '%2f'), registry);
    const body = await get(url.href, described, label);
    try {
      return membersOf(JSON.parse(body.toString('utf8')));
    } catch {
      throw new PackageRefusal(`the registry does not describe ${label} in JSON`);
    }
  }

  return {
    async describe({ name, range }) {
      const asked = packuments.get(name) ?? readPackument(name, `${name}@${range}`);
      packuments.set(name, asked);
      const packument = await asked;
      const version = pickVersion(packument, range, grammar);
      if (version === null) throw new PackageRefusal(`the registry has no ${name}@${range}`);
      return readManifest(membersOf(packument['versions'])[version], name, version, registry, grammar);
    },
    async download({ name, version, integrity, tarball }) {
      const label = `${name}@${version}`;
      const file = await get(tarball, anything, label);
      if (`sha512-${createHash('sha512').update(file).digest('base64')}` === integrity) return file;
      throw new PackageRefusal(`the file of ${label} is not the one that the registry describes`);
    },
  };
}
