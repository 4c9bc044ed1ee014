/** The programs of shut-in processes are made where there are none of the present sources, and kept. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { gatherShims } from '../../src/programs/bundle.ts';
import { programNames, sourceFolders } from '../../src/programs/programs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const entries = ['hook-runner/child/main', 'hook-runner/child/guest/entry', 'hook-packages/child/fetch-main'];

/** The files that the programs are made of, according to esbuild. */
async function listInputs(): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entries, 'hook-packages/child/bundle-main'].map((entry) => `src/${entry}.ts`),
    bundle: true,
    write: false,
    metafile: true,
    outdir: 'unused',
    format: 'esm',
    platform: 'node',
    tsconfigRaw: {},
  });
  return Object.keys(metafile.inputs);
}

it('are built from the sources that their name is a digest of, and from packages', async () => {
  const folders = ['node_modules', ...sourceFolders];
  const others = (await listInputs()).filter((path) => !folders.some((folder) => path.startsWith(`${folder}/`)));
  assert.deepEqual(others, []);
});

describe('an installation that has never been started', () => {
  let installed: string;
  before(() => {
    installed = mkdtempSync(join(tmpdir(), 'gatehouse-installed-'));
    for (const part of ['bin', 'generated', 'package.json', 'src']) {
      cpSync(join(root, part), join(installed, part), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
  });
  after(() => rmSync(installed, { recursive: true }));

  /** What `gatehouse prepare` begins with. */
  async function prepare(): Promise<string> {
    const module = JSON.stringify(pathToFileURL(join(installed, 'src/programs/programs.ts')));
    const code = `const { programFile } = await import(${module}); process.stdout.write(programFile('hook-process'));`;
    const args = ['--input-type=module', '--eval', code];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: installed });
    return dirname(stdout);
  }

  /** Where they would be built, which is what takes long. */
  async function findFresh(): Promise<string> {
    const { findKept } = await import(pathToFileURL(join(installed, 'src/programs/kept.ts')).href);
    return findKept('programs', sourceFolders, /\.c?[jt]s$/).fresh;
  }

  it('builds them once, and new ones for changed sources', async () => {
    const [folder, same] = await Promise.all([prepare(), prepare()]);
    assert.equal(same, folder, 'two that start at once build the same');
    assert.equal(dirname(folder), join(installed, '.cache/programs'));
    const programs = programNames.map((name) => `${name}.mjs`);
    assert.deepEqual(readdirSync(folder).sort(), ['NOTICES.txt', ...programs].sort());
    writeFileSync(join(folder, 'mark'), '');
    assert.ok(existsSync(join(await prepare(), 'mark')), 'what was created is kept');
    appendFileSync(join(installed, 'src/hook-runner/frames.ts'), '\n// changed\n');
    assert.notEqual(await prepare(), folder);
    assert.equal(readdirSync(dirname(folder)).length, 2, 'nothing incomplete is left');
  });

  it('puts the licence of every package beside the programs that contain its code', async () => {
    const notices = readFileSync(join(await prepare(), 'NOTICES.txt'), 'utf8');
    const inputs = [...(await listInputs()), ...Object.keys((await gatherShims()).files)];
    const packages = new Set(inputs.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
    for (const name of ['tar', 'minipass', 'semver', 'buffer', 'ieee754']) assert.ok(packages.has(name), name);
    for (const name of packages) {
      const folder = join(root, 'node_modules', name);
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const licences = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
      assert.ok(licences.length > 0, `${name} has no file with its licence`);
      const [text = ''] = licences.map((file) => readFileSync(join(folder, file), 'utf8').trim());
      assert.ok(notices.includes(`\n${name} ${version}`) && notices.includes(text), name);
    }
    assert.doesNotMatch(notices, /^(?:esbuild|isolated-vm) \d/m, 'these are loaded, not bundled');
  });

  it('with any umask another user can read them but not change them', async () => {
    const kept = join(installed, '.cache/programs');
    for (const mask of [0o077, 0o000]) {
      rmSync(join(installed, '.cache'), { recursive: true, force: true });
      const before = process.umask(mask);
      const folder = await prepare().finally(() => process.umask(before));
      const files = readdirSync(folder).map((name) => join(folder, name));
      const modesOf = (paths: readonly string[]) => new Set(paths.map((path) => statSync(path).mode & 0o777));
      assert.deepEqual(modesOf([dirname(kept), kept, folder]), new Set([0o755]));
      assert.deepEqual(modesOf(files), new Set([0o644]));
    }
  });

  it('does not run what other users can change', async () => {
    const folder = await prepare();
    chmodSync(folder, 0o777);
    await assert.rejects(prepare(), /can be written by other users: remove it/);
    chmodSync(folder, 0o755);
    assert.equal(await prepare(), folder);
  });

  it('keeps them nowhere that others can reach into, and changes no folder that was there', async () => {
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    const aside = join(installed, 'aside');
    const kept = await prepare();
    for (const [name, mode, isMade] of [
      ['.cache', 0o777, true],
      ['.cache', 0o700, false],
      ['.cache/programs', 0o775, true],
      ['.cache/programs', 0o757, false],
    ] as const) {
      const outer = join(installed, name);
      chmodSync(outer, mode);
      if (!isMade) renameSync(kept, aside);
      assert.equal(dirname(await findFresh()), tmpdir(), `${name} ${mode.toString(8)}`);
      assert.equal(modeOf(outer), mode);
      assert.equal(existsSync(kept), isMade, 'existing rows stay, and none is added');
      if (!isMade) renameSync(aside, kept);
      chmodSync(outer, 0o755);
      assert.equal(await prepare(), kept);
    }
  });

  it('follows no link out of the installation', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'gatehouse-elsewhere-'));
    const cache = join(installed, '.cache');
    rmSync(cache, { recursive: true, force: true });
    symlinkSync(elsewhere, cache);
    assert.equal(dirname(await findFresh()), tmpdir());
    assert.deepEqual(readdirSync(elsewhere), []);
    rmSync(cache);
    rmSync(elsewhere, { recursive: true });
  });

  it('builds them in a temporary place if it cannot write, for the life of the process', async () => {
    rmSync(join(installed, '.cache'), { recursive: true, force: true });
    writeFileSync(join(installed, '.cache'), 'no folder');
    const folder = await prepare();
    assert.equal(dirname(folder), tmpdir());
    assert.ok(!existsSync(folder));
  });
});
