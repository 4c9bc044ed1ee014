/**
 * What `npm ci` installs and no process of the service reads on the machine that it runs on. The Dockerfile runs this file
 * on its own.
 */

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

interface Machine {
  readonly platform: string;
  readonly arch: string;
}

/** Removes it from a folder `node_modules`, where `npm ci` would put it back. Gives the bytes that were in its files. */
export function slim(packages: string, machine: Machine = process): number {
  const paths = listPackages(packages).flatMap((name) => [
    ...headersOfNode(packages, name),
    ...foreignPrebuilds(join(packages, name, 'prebuilds'), machine),
  ]);
  const bytes = paths.reduce((sum, path) => sum + sizeOf(path), 0);
  for (const path of paths) rmSync(path, { recursive: true });
  return bytes;
}

function listPackages(packages: string): string[] {
  const isScope = (name: string) => name.startsWith('@');
  const names = readdirSync(packages).filter((name) => !name.startsWith('.'));
  const scoped = names
    .filter(isScope)
    .flatMap((scope) => readdirSync(join(packages, scope)).map((name) => `${scope}/${name}`));
  return [...names.filter((name) => !isScope(name)), ...scoped];
}

/** For C++ that is compiled against Node: 67 MB, of which OpenSSL for each system that there is makes up most. */
function headersOfNode(packages: string, name: string): string[] {
  const headers = join(packages, name, 'include');
  return /^node-linux-/.test(name) && existsSync(headers) ? [headers] : [];
}

/** Native modules of other systems and processors, in the layout of prebuildify: `<system>-<processors>[.node]`. */
function foreignPrebuilds(folder: string, { platform, arch }: Machine): string[] {
  if (!existsSync(folder)) return [];
  const isOurs = (name: string) => {
    const [system = '', processors = ''] = name.replace(/\.node$/, '').split('-');
    // With either C library: `linux`, `linuxmusl`.
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
