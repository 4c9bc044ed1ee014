/** The registry, by npm's own client. It answers with what package files say; nothing of that is ever run. */

import pacote from 'pacote';
import semver from 'semver';
import { limits } from '../protocol.ts';
import { PackageRefusal } from './refusal.ts';

/** What of a package's description matters here. */
export interface Description {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

export interface Registry {
  /** The best version of a range. Throws a `PackageRefusal`. */
  describe(name: string, range: string, wantedBy: string): Promise<Description>;
  /** The verified tarball of a package. */
  download(name: string, version: string, integrity: string): Promise<Buffer>;
  /** Writes the files of a tarball into a folder: no links, nothing outside of it. */
  extract(tarball: string, folder: string): Promise<void>;
}

const installScripts = ['preinstall', 'install', 'postinstall'];
const unknownCodes = ['E404', 'ETARGET', 'ENOVERSIONS', 'E403', 'E451'];

/** Members of a manifest that the types of the client leave out. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly _integrity?: string;
  readonly _resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly scripts?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | null)?.code ?? 'unknown');
}

/** Nothing but ranges of versions: git, files, addresses and aliases lead past the registry. */
export function checkRange(name: string, range: string, wantedBy: string): string {
  if (range === 'latest') return '*';
  if (semver.validRange(range) !== null) return range;
  throw new PackageRefusal(`${wantedBy} depends on ${name} by "${range}", which is no version of the registry`);
}

function checkManifest(manifest: Manifest, name: string, registry: string): Description {
  const { version, _integrity: integrity = '', scripts = {}, dependencies = {}, optionalDependencies = {} } = manifest;
  const label = `${name}@${version}`;
  if (manifest.name !== name || semver.valid(version) !== version) {
    throw new PackageRefusal(`the registry describes ${name} as another package`);
  }
  if (manifest.hasInstallScript || installScripts.some((script) => Object.hasOwn(scripts, script))) {
    throw new PackageRefusal(`${label} wants to run a script when it is installed`);
  }
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)) {
    throw new PackageRefusal(`the registry gives no sha512 digest of ${label}`);
  }
  const from = URL.parse(manifest._resolved ?? '')?.origin;
  if (from !== new URL(registry).origin && from !== 'https://registry.npmjs.org') {
    throw new PackageRefusal(`the registry sends to another place for ${label}`);
  }
  const required = Object.entries(dependencies).filter(([other]) => !Object.hasOwn(optionalDependencies, other));
  return { name, version, integrity, dependencies: Object.fromEntries(required) };
}

/** Gathers what a stream brings, up to the limit. */
function gather(stream: NodeJS.ReadableStream, label: string): Promise<Buffer> {
  return new Promise((fulfil, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limits.tarballBytes) return reject(new PackageRefusal(`${label} is larger than 16 MiB`));
      chunks.push(chunk);
    });
    stream.on('error', reject).on('end', () => fulfil(Buffer.concat(chunks)));
  });
}

export interface RegistryOptions {
  readonly registry: string;
  /** All that are trusted; Node's own when empty. */
  readonly certificates: readonly string[];
  /** A folder for what was downloaded. */
  readonly cache: string;
}

export function openRegistry({ registry, certificates, cache }: RegistryOptions): Registry {
  const options = {
    registry,
    cache,
    ...(certificates.length > 0 ? { ca: [...certificates] } : {}),
    packumentCache: new Map(),
    fetchRetries: 1,
    timeout: 15_000,
    // A version is taken as the registry describes it: what a tarball's own file says is not asked.
    fullMetadata: false,
    ignoreScripts: true,
  };

  function refuse(error: unknown, label: string): never {
    if (error instanceof PackageRefusal) throw error;
    const code = codeOf(error);
    if (unknownCodes.includes(code)) throw new PackageRefusal(`the registry has no ${label}`);
    if (code === 'EINTEGRITY')
      throw new PackageRefusal(`the file of ${label} is not the one that the registry describes`);
    if (/^E4\d\d$/.test(code)) throw new PackageRefusal(`the registry refuses ${label}`);
    throw new PackageRefusal(`the registry could not be read for ${label} (${code})`, false);
  }

  return {
    async describe(name, range, wantedBy) {
      const spec = `${name}@${checkRange(name, range, wantedBy)}`;
      try {
        return checkManifest((await pacote.manifest(spec, options)) as Manifest, name, registry);
      } catch (error) {
        return refuse(error, `${name}@${range}`);
      }
    },
    async download(name, version, integrity) {
      const label = `${name}@${version}`;
      try {
        return await pacote.tarball.stream(label, (stream) => gather(stream, label), { ...options, integrity });
      } catch (error) {
        return refuse(error, label);
      }
    },
    async extract(tarball, folder) {
      await pacote.extract(`file:${tarball}`, folder, options);
    },
  };
}
