/** The programs of shut-in processes are made where there are none of the present sources, and kept. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { programNames, sourceFolders } from '../../src/programs/programs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const entries = ['hook-runner/child/main', 'hook-runner/child/guest/entry', 'hook-packages/child/fetch-main'];

it('are made of what their name is made of, and of packages', async () => {
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
  const folders = ['node_modules', ...sourceFolders];
  const others = Object.keys(metafile.inputs).filter(
    (path) => !folders.some((folder) => path.startsWith(`${folder}/`)),
  );
  assert.deepEqual(others, []);
});

describe('an installation that was never started', () => {
  let installed: string;
  before(() => {
    installed = mkdtempSync(join(tmpdir(), 'gatehouse-installed-'));
    for (const part of ['bin', 'generated', 'package.json', 'src']) {
      cpSync(join(root, part), join(installed, part), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
  });
  after(() => rmSync(installed, { recursive: true }));

  async function prepare(): Promise<string> {
    const args = [join(installed, 'bin/gatehouse.js'), '--json', 'prepare'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: installed });
    return JSON.parse(stdout).folder;
  }

  it('makes them once, and others for other sources', async () => {
    const [folder, same] = await Promise.all([prepare(), prepare()]);
    assert.equal(same, folder, 'two that start at once make the same');
    assert.equal(dirname(folder), join(installed, '.cache/programs'));
    assert.deepEqual(readdirSync(folder).sort(), programNames.map((name) => `${name}.mjs`).sort());
    writeFileSync(join(folder, 'mark'), '');
    assert.ok(existsSync(join(await prepare(), 'mark')), 'what was made is kept');
    appendFileSync(join(installed, 'src/hook-runner/frames.ts'), '\n// changed\n');
    assert.notEqual(await prepare(), folder);
    assert.equal(readdirSync(dirname(folder)).length, 2, 'nothing half-made is left');
  });

  it('makes them elsewhere where it cannot write, for as long as the process lives', async () => {
    rmSync(join(installed, '.cache'), { recursive: true });
    writeFileSync(join(installed, '.cache'), 'no folder');
    const folder = await prepare();
    assert.equal(dirname(folder), tmpdir());
    assert.ok(!existsSync(folder));
  });
});
