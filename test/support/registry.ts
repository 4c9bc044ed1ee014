/** A registry of packages on loopback, with what a test puts into it. */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Entry, tarball } from './tarball.ts';

interface Version {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly tarball: Buffer;
}

export interface TestRegistry {
  readonly url: string;
  /** Paths of what was downloaded. */
  readonly downloads: readonly string[];
  /**
   * A version whose files are `files` beside its package.json, which `manifest` adds to. `dist` replaces what the
   * registry says about the tarball, `entries` adds to what is in it.
   */
  add(
    name: string,
    version: string,
    files?: Readonly<Record<string, string | Buffer>>,
    more?: {
      readonly manifest?: Readonly<Record<string, unknown>>;
      readonly dist?: Readonly<Record<string, unknown>>;
      readonly entries?: readonly Entry[];
      readonly tarball?: Buffer;
    },
  ): void;
  /** A package that is installed here, with all that it depends on. */
  addInstalled(name: string): string;
  /** Answers first from now on; what it leaves (false) is answered as ever. */
  answer(handler: ((req: IncomingMessage, res: ServerResponse) => boolean) | null): void;
  /** Answers nothing from now on. */
  hang(): void;
  close(): Promise<void>;
}

const installed = new URL('../../node_modules/', import.meta.url).pathname;

export function integrityOf(data: Buffer): string {
  return `sha512-${createHash('sha512').update(data).digest('base64')}`;
}

function filesOf(folder: string): Record<string, Buffer> {
  const files: Record<string, Buffer> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
    if (entry.isFile() && !path.startsWith('node_modules') && path.length < 92) {
      files[path] = readFileSync(join(folder, path));
    }
  }
  return files;
}

export async function openRegistry(): Promise<TestRegistry> {
  const packages = new Map<string, Map<string, Version>>();
  const downloads: string[] = [];
  let hangs = false;
  let first: ((req: IncomingMessage, res: ServerResponse) => boolean) | null = null;

  function describe(name: string): unknown {
    const versions = [...(packages.get(name) ?? [])];
    return {
      name,
      'dist-tags': { latest: versions.at(-1)?.[0] },
      versions: Object.fromEntries(versions.map(([version, { manifest }]) => [version, manifest])),
    };
  }

  const server = createServer((req, res) => {
    if (hangs || first?.(req, res)) return;
    const path = decodeURIComponent(new URL(req.url ?? '', 'http://a').pathname).slice(1);
    const [, file, fileVersion] = /^tarballs\/(.+)\/([^/]+)\.tgz$/.exec(path) ?? [];
    const data = file && packages.get(file)?.get(fileVersion ?? '')?.tarball;
    if (data) {
      downloads.push(path);
      res.end(data);
      return;
    }
    const [, name = '', version] = /^((?:@[^/]+\/)?[^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
    const known = version ? packages.get(name)?.get(version)?.manifest : packages.has(name) && describe(name);
    res.writeHead(known ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(known || {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const registry: TestRegistry = {
    url,
    downloads,
    add(name, version, files = { 'index.js': `exports.name = '${name}';` }, more = {}) {
      const own = { name, version, ...more.manifest };
      const contents = { 'package.json': JSON.stringify(own), ...files };
      const entries = Object.entries(contents).map(([path, content]) => ({ name: `package/${path}`, content }));
      const data = more.tarball ?? tarball([...entries, ...(more.entries ?? [])]);
      const dist = { tarball: `${url}tarballs/${name}/${version}.tgz`, integrity: integrityOf(data), ...more.dist };
      const versions = packages.get(name) ?? new Map<string, Version>();
      versions.set(version, { manifest: { ...own, dist }, tarball: data });
      packages.set(name, versions);
    },
    addInstalled(name) {
      const folder = join(installed, name);
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      // What a tarball says of scripts that prepare a release is not what the registry says of scripts at installation.
      const { scripts: _, ...described } = manifest;
      registry.add(name, manifest.version, filesOf(folder), { manifest: described });
      for (const other of Object.keys(manifest.dependencies ?? {}))
        if (!packages.has(other)) registry.addInstalled(other);
      return manifest.version;
    },
    answer: (handler) => {
      first = handler;
    },
    hang: () => {
      hangs = true;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return registry;
}
