/**
 * Removes what `npm ci` installs but no process of the service reads on this machine. The Dockerfile runs only this
 * module, so it imports nothing of the service.
 */

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

interface Machine {
  readonly platform: string;
  readonly arch: string;
}

/** `packages` is a folder `node_modules`; `npm ci` restores it. Returns the size of the removed files in bytes. */
export function slim(packages: string, machine: Machine = process): number {
  const paths = listPackages(packages).flatMap((name) => [
    ...headersOfNode(packages, name),
    ...foreignPrebuilds(join(packages, name, 'prebuilds'), machine),
  ]);
  const bytes = paths.reduce((sum, path) => sum + sizeOf(path), 0);
  for (const path of paths) rmSync(path, { recursive: true });
  return bytes;
}

/** Names of packages, with their scope. Symbolic links are skipped: they lead out of the installation. */
function listPackages(packages: string): string[] {
  const names = listFolders(packages);
  const isScope = (name: string) => name.startsWith('@');
  const scoped = names.filter(isScope).flatMap((scope) => {
    return listFolders(join(packages, scope)).map((name) => `${scope}/${name}`);
  });
  return [...names.filter((name) => !isScope(name)), ...scoped];
}

function listFolders(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** They are for compiling C++ against Node. Most of their 67 MB is OpenSSL, once for each system that it supports. */
function headersOfNode(packages: string, name: string): string[] {
  const headers = join(packages, name, 'include');
  return /^node-linux-/.test(name) && existsSync(headers) ? [headers] : [];
}

/** Native modules for other systems and processors, in prebuildify's layout: `<system>-<processors>[.node]`. */
function foreignPrebuilds(folder: string, { platform, arch }: Machine): string[] {
  if (!existsSync(folder)) return [];
  const isOurs = (name: string) => {
    const [system = '', processors = ''] = name.replace(/\.node$/, '').split('-');
    // Both C libraries are kept: `linux`, `linuxmusl`.
    return system.startsWith(platform) && processors.split('+').includes(arch);
  };
  const names = readdirSync(folder);
  return names.some(isOurs) ? names.filter((name) => !isOurs(name)).map((name) => join(folder, name)) : [];
}

function sizeOf(path: string): number {
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
