import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { median } from './series.ts';

function packageVersion(name: string): string {
  const file = new URL(`../../${name}package.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function sqliteVersion(): string {
  const db = new Sqlite(':memory:');
  const { version } = db.prepare('select sqlite_version() as version').get() as { version: string };
  db.close();
  return version;
}

/** How long writing one page to disk takes below this folder, in milliseconds; below 0.02 it is not a disk. */
export function flushMilliseconds(folder: string): number {
  const file = join(folder, 'flush');
  const descriptor = openSync(file, 'w');
  const times: number[] = [];
  for (let turn = 0; turn < 200; turn += 1) {
    writeSync(descriptor, Buffer.alloc(4096));
    const startedAt = performance.now();
    fdatasyncSync(descriptor);
    times.push(performance.now() - startedAt);
  }
  closeSync(descriptor);
  rmSync(file);
  return median(times);
}

/** Versions, cores, disk and how busy the machine is already, a line each. `folder`: where data will lie. */
export function describeMachine(folder: string): string[] {
  const { node, openssl } = process.versions;
  return [
    `Gatehouse ${packageVersion('')}, oidc-provider ${packageVersion('node_modules/oidc-provider/')}, ` +
      `Node ${node}, OpenSSL ${openssl}, SQLite ${sqliteVersion()}`,
    `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, ${(totalmem() / 1e9).toFixed(0)} GB, ` +
      `${process.platform} ${release()}; a page takes ${flushMilliseconds(folder).toFixed(2)} ms to the disk`,
    `load before the start ${loadavg()[0]?.toFixed(2)}, ${new Date().toISOString().slice(0, 16)}Z`,
  ];
}
