import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import packageJson from '../../../package.json' with { type: 'json' };
import packageLock from '../../../package-lock.json' with { type: 'json' };
import { makePackage, setVersion, unpack } from '../../support/package.ts';
import { freePort } from '../../support/process.ts';
import { until } from '../../support/until.ts';
import type { Drill } from '../drill.ts';

/** As a user installs it: by the npm and the Node of this machine, with nothing of what runs the drill. */
const path = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
const run = promisify(execFile);
const laterVersion = '99.0.0';

/** Runs npm in a folder; what it needs comes from the registry that it is set to, or from its cache. */
async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  const env = { HOME: process.env['HOME'], PATH: path.join(':'), npm_config_update_notifier: 'false' };
  return (await run('npm', args, { cwd, env, maxBuffer: 1e8 })).stdout.trim();
}

/** A registry that has our packages, and sends npm to `other` for all others. */
async function openRegistry(files: readonly string[], other: string): Promise<{ server: Server; url: string }> {
  const server = createServer((req, res) => {
    const file = files.find((one) => req.url === `/${basename(one)}`);
    if (file) return void res.end(readFileSync(file));
    if (req.url !== '/gatehouse')
      return void res.writeHead(302, { location: new URL(req.url ?? '', other).href }).end();
    const versions = files.map((one) => {
      const manifest = JSON.parse(readFileSync(one.replace(/\.tgz$/, '.json'), 'utf8'));
      const integrity = `sha512-${createHash('sha512').update(readFileSync(one)).digest('base64')}`;
      // A registry tells that a package names its versions; npm does not look into it before.
      return { ...manifest, _hasShrinkwrap: true, dist: { tarball: `${url}/${basename(one)}`, integrity } };
    });
    const latest = versions.at(-1)?.version;
    const all = Object.fromEntries(versions.map((one) => [one.version, one]));
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ name: 'gatehouse', 'dist-tags': { latest }, versions: all }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, url };
}

/** Packs the same as a later release. */
async function packLater(folder: string, file: string): Promise<string> {
  const later = unpack({ file, materials: '' }, join(folder, 'later'));
  setVersion(later, laterVersion);
  await npm(later, 'pack', '--pack-destination', folder);
  return join(folder, `gatehouse-${laterVersion}.tgz`);
}

/**
 * Serves by a command in `cwd`, gets a token with the pair of the demo account, and stops by a signal to the command.
 */
async function serveOnce(cwd: string, command: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const port = await freePort();
  const env = { HOME: process.env['HOME'], PATH: path.join(':'), PORT: String(port), DRAIN_SECONDS: '0' };
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  await until(() => output.includes('"event":"listening"') || child.exitCode !== null);
  if (child.exitCode !== null || output.includes('hooks cannot run')) throw new Error(output);
  const seconds = (performance.now() - startedAt) / 1000;
  const { credential } = JSON.parse(readFileSync(join(cwd, 'data/demo.json'), 'utf8'));
  const answer = await fetch(`http://localhost:${port}/auth/oauth2/v2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${credential.client_id}:${credential.client_secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${await answer.text()}`);
  // The pipes stay open until the server, which inherited them, has ended too.
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
  if (!output.includes('"event":"stopped"')) throw new Error(`it was not stopped in order: ${output}`);
  return Math.round(seconds);
}

interface Locked {
  readonly version: string;
  readonly dev?: boolean;
  /** It may be missing: for another system, or wanted by a package that does without. */
  readonly optional?: boolean;
}

/** The packages below `modules` that are missing, or not of the version that was tested. */
function listOthers(modules: string): string[] {
  const locked = Object.entries(packageLock.packages as Record<string, Locked>);
  return locked.flatMap(([place, { version, dev, optional }]) => {
    const file = join(modules, '..', place, 'package.json');
    if (place === '' || dev || (optional && !existsSync(file))) return [];
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version ? [] : [place];
  });
}

/** P1: the package, installed by the npm of this machine. */
export const drill: Drill = {
  id: 'P1',
  title:
    'the package, by npm: from its file with one command; from a registry, in the tested versions; upgraded in place',
  rounds: 1,
  quickRounds: null,
  run: async ({ log }) => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-package-'));
    const figures: Record<string, number | string> = {};
    const { file } = makePackage(folder);
    const later = await packLater(folder, file);
    for (const one of [file, later]) {
      const manifest = (await run('tar', ['-xzOf', one, 'package/package.json'])).stdout;
      writeFileSync(one.replace(/\.tgz$/, '.json'), manifest);
    }
    const { server, url } = await openRegistry([file, later], await npm(folder, 'config', 'get', 'registry'));
    try {
      const empty = join(folder, 'empty');
      mkdirSync(empty);
      const command = ['npx', '--yes', '--ignore-scripts', `--package=${file}`, 'gatehouse', 'serve', '--demo'];
      figures['from the file, seconds until it listens'] = await serveOnce(empty, command);

      const project = join(folder, 'project');
      mkdirSync(project);
      for (const version of [packageJson.version, laterVersion]) {
        await npm(project, 'install', '--ignore-scripts', `gatehouse@${version}`, `--registry=${url}`);
        const modules = join(project, 'node_modules/gatehouse/node_modules');
        figures[`${version}: packages of other versions`] = listOthers(modules).join(', ') || 'none';
        figures[`${version}: seconds until it listens`] = await serveOnce(project, [
          'npx',
          'gatehouse',
          'serve',
          '--demo',
        ]);
      }
      const holds = Object.values(figures).every((value) => typeof value === 'number' || value === 'none');
      return { figures, holds };
    } catch (error) {
      log(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return { figures, holds: false };
    } finally {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
