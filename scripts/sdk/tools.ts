/**
 * The pinned tools. Each comes from the registry of its language, by the pins in `scripts/sdk/pins`, into `.cache/sdk`
 * and stays there until its pins change.
 */

import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../conformance/toolchain.ts';

const pins = fileURLToPath(new URL('pins', import.meta.url));
export const cache = fileURLToPath(new URL('../../.cache/sdk', import.meta.url));

const mavenCentral = 'https://repo1.maven.org/maven2';
const mostMilliseconds = 600_000;

interface Jar {
  /** Path in the registry, without the version. */
  readonly path: string;
  readonly version: string;
  readonly sha256: string;
}

export const openapiGeneratorJar: Jar = {
  path: 'org/openapitools/openapi-generator-cli',
  version: '7.17.0',
  sha256: '25d6bd8273dd2be99979d544b62ea43f0ce1975f1aa582678b5093d1e7fcfce8',
};

export const snakeYamlJar: Jar = {
  path: 'org/yaml/snakeyaml',
  version: '2.5',
  sha256: 'e6682acf1ace77508ef13649cbf4f8d09d2cf5457bdb61d25ffb6ac0233d78dd',
};

/** Where Go keeps what it fetches and builds; files that can be removed again. */
export const goEnvironment: Readonly<Record<string, string>> = {
  GOPATH: join(cache, 'go-path'),
  GOMODCACHE: join(cache, 'go-modules'),
  GOCACHE: join(cache, 'go-cache'),
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-mod=readonly -modcacherw -buildvcs=false',
};

const made = new Map<string, Promise<string>>();

/** Answers what `make` answers, which is asked once. */
function once(name: string, make: () => Promise<string>): Promise<string> {
  const known = made.get(name) ?? make();
  made.set(name, known);
  return known;
}

/** The folder in the cache that `fill` made of the pins of that name. */
function pinned(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  return once(name, async () => {
    const folder = join(cache, name);
    const stamp = join(folder, '.made-from');
    const wanted = digestOf(join(pins, name));
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return folder;
    rmSync(folder, { recursive: true, force: true });
    cpSync(join(pins, name), folder, { recursive: true });
    await fill(folder);
    writeFileSync(stamp, wanted);
    return folder;
  });
}

function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).toSorted()) hash.update(`${file}\0`).update(readFileSync(join(folder, file)));
  return hash.digest('hex');
}

/** The folder whose `node_modules` has the tools of these pins that the repository does not have itself. */
export function npmTools(name: 'typescript' | 'rules'): Promise<string> {
  return pinned(name, (cwd) => run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd }));
}

/** The folder whose `venv` has the generators for Python and what their clients import. */
export function pythonTools(): Promise<string> {
  return pinned('python', async (cwd) => {
    await run(['python3', '-m', 'venv', 'venv'], { cwd });
    const options = ['--quiet', '--disable-pip-version-check', '--no-cache-dir', '--no-deps'];
    await run(['venv/bin/pip', 'install', ...options, '--requirement', 'requirements.txt'], { cwd });
  });
}

/** The folder whose `bin` has oapi-codegen; its module names what generated clients import. */
export function goTools(): Promise<string> {
  const program = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen';
  return pinned('go', (cwd) => run(['go', 'build', '-o', 'bin/', program], { cwd, env: goEnvironment }));
}

/** The path of a file from Maven Central. Rejects when it is not the one that is pinned. */
export function jar({ path, version, sha256 }: Jar): Promise<string> {
  const name = `${path.split('/').at(-1)}-${version}.jar`;
  return once(name, async () => {
    const file = join(cache, name);
    if (!existsSync(file)) {
      const signal = AbortSignal.timeout(mostMilliseconds);
      const answer = await fetch(`${mavenCentral}/${path}/${version}/${name}`, { signal });
      if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
      mkdirSync(cache, { recursive: true });
      writeFileSync(`${file}.part`, new Uint8Array(await answer.arrayBuffer()));
      renameSync(`${file}.part`, file);
    }
    const found = createHash('sha256').update(readFileSync(file)).digest('hex');
    if (found !== sha256) throw new Error(`${file} has the SHA-256 ${found}, not ${sha256}`);
    return file;
  });
}

const pinFiles = {
  typescript: { file: 'typescript/package.json', line: (name: string) => `"${name}": "` },
  rules: { file: 'rules/package.json', line: (name: string) => `"${name}": "` },
  python: { file: 'python/requirements.txt', line: (name: string) => `${name}==` },
  go: { file: 'go/go.mod', line: (name: string) => `${name} v` },
};

/** The version that the pins of a language name. */
export function pinnedVersion(language: keyof typeof pinFiles, name: string): string {
  const { file, line } = pinFiles[language];
  return versionIn(readFileSync(join(pins, file), 'utf8'), line(name));
}

/** The version that a file of pins has behind `before`. Throws where it is not pinned. */
export function versionIn(text: string, before: string): string {
  const [, rest] = text.split(before);
  const version = /^\d+(?:\.\d+)+/.exec(rest ?? '')?.[0];
  if (version === undefined) throw new Error(`no version is pinned behind ${before}`);
  return version;
}
