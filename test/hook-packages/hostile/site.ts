/**
 * Where attacks happen: a registry, a host that nobody may ask, and a folder beside the builds that nobody may touch.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { integrityOf, openRegistry, type TestRegistry } from '../../support/registry.ts';
import { tarball } from '../../support/tarball.ts';

export const secretText = 'CANARY-SECRET';

export type Members = Readonly<Record<string, unknown>>;

export interface Site {
  readonly registry: TestRegistry;
  /** `127.0.0.1:<port>` of the host that must not be contacted. */
  readonly other: string;
  /** The parent of the build folders; the canary's folder is next to them. */
  readonly parent: string;
  readonly canary: string;
  /** Answers every path that the registry does not know with a package that is called so. */
  answerAs(name: string): void;
  /** Asserts that an attack reached nothing, and forgets what it has put into the registry's way. */
  assertUntouched(attack: string): void;
  close(): Promise<void>;
}

/** Every file below a folder with its kind, its rights and its contents. */
function picture(folder: string): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mode, uid } = lstatSync(path);
    const content = entry.isFile() ? readFileSync(path, 'utf8') : entry.isSymbolicLink() ? readlinkSync(path) : '';
    seen[path] = `${mode.toString(8)} ${uid} ${content}`;
  }
  return seen;
}

export async function openSite(): Promise<Site> {
  const registry = await openRegistry();
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-attacked-'));
  const canary = join(parent, 'canary');
  mkdirSync(join(canary, 'node_modules'), { recursive: true });
  writeFileSync(join(canary, 'package.json'), '{"name":"canary","version":"1.0.0"}');
  writeFileSync(join(canary, 'secret.js'), `module.exports = '${secretText}';`);
  writeFileSync(join(canary, 'secret.json'), `{"password":"${secretText}"}`);
  const before = picture(parent);

  return {
    registry,
    other: `127.0.0.1:${(listener.address() as AddressInfo).port}`,
    parent,
    canary,
    answerAs(name) {
      const own = { name, version: '1.0.0' };
      const data = tarball([
        { name: 'package/package.json', content: JSON.stringify(own) },
        { name: 'package/index.js', content: 'exports.taken = true;' },
      ]);
      const dist = { tarball: `${registry.url}any.tgz`, integrity: integrityOf(data) };
      const described = { ...own, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { ...own, dist } } };
      registry.answer((req, res) => {
        const path = decodeURIComponent(req.url ?? '');
        if (path.startsWith('/tarballs/') || /^\/(victim|middle)($|\/)/.test(path)) return false;
        const isFile = /\.tgz$|@1\.0\.0$/.test(path);
        res.end(isFile ? data : JSON.stringify(described));
        return true;
      });
    },
    assertUntouched(attack) {
      registry.answer(null);
      assert.deepEqual(picture(parent), before, `${attack}: nothing outside the build is touched`);
      assert.equal(connections, 0, `${attack}: nothing but the registry is contacted`);
    },
    async close() {
      await registry.close();
      listener.close();
      rmSync(parent, { recursive: true });
    },
  };
}

export interface Attack {
  readonly name: string;
  /** Puts into the registry what `victim@1.0.0` leads to. */
  readonly put: (site: Site) => void;
  /** How a build of `victim@1.0.0` ends: refused unless said. `built`: what is hostile of it is left out. */
  readonly ends?: 'built';
  /** What the script must not contain, besides the secret itself. */
  readonly never?: RegExp;
}

/**
 * A package on the way to the hostile one: what a hook names itself is read more strictly than what that depends on.
 */
export function putThrough({ registry }: Site, dependencies: object): void {
  const requires = Object.keys(dependencies).map((name) => `exports[0] = () => require(${JSON.stringify(name)});`);
  registry.add(
    'victim',
    '1.0.0',
    { 'index.js': `require('middle');` },
    { manifest: { dependencies: { middle: '1' } } },
  );
  registry.add('middle', '1.0.0', { 'index.js': requires.join('\n') }, { manifest: { dependencies } });
}
