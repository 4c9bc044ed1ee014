import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import { findBetterNode } from '../../src/runtime/host-node.ts';
import { placeNode, placeScript } from '../support/programs.ts';

const script = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url));

describe('a Node of the host', () => {
  let folder: string;
  let bundled: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-node-'));
    // As npm installs one.
    bundled = join(folder, 'node_modules/node-any/bin/node');
    mkdirSync(dirname(bundled), { recursive: true });
    placeNode(bundled);
  });
  after(() => rmSync(folder, { recursive: true }));

  /** A folder with a program `node` that calls itself this version, and otherwise does `rest`. */
  function host(name: string, version: string, more: Parameters<typeof placeScript>[2] = {}): string {
    const bin = join(folder, name, 'bin');
    mkdirSync(bin, { recursive: true });
    placeScript(join(bin, 'node'), version, more);
    return bin;
  }

  const find = (version: string, ...path: string[]) =>
    findBetterNode({ version, environment: { PATH: path.join(':') } });

  it('is preferred when it is newer, from the same line or a later one with long-term support', () => {
    const newer = host('newer', '24.22.1');
    const later = host('later', '26.12.1', { abi: '147' });
    assert.equal(find('v24.21.0', newer), join(newer, 'node'));
    assert.equal(find('v24.21.0', host('older', '24.20.0'), later), join(later, 'node'));
    assert.equal(find('v24.21.0', newer, later), join(newer, 'node'));
    assert.equal(find('v24.22.1', newer), null);
    assert.equal(find('v24.22.2', newer), null);
  });

  it('is skipped when its line is odd or its add-on is missing', () => {
    assert.equal(find('v24.21.0', host('odd', '25.99.0', { abi: '141' })), null);
    assert.equal(find('v24.21.0', host('odd-with', '27.0.0', { abi: '147' })), null);
    assert.equal(find('v24.21.0', host('foreign', '28.0.0', { abi: '160' })), null);
    assert.equal(find('v24.21.0', host('lying', '24.99.0', { abi: 'x' })), null);
  });

  it('is skipped when it is not known to be sound and the running one is', () => {
    const unsound = host('unsound', '26.10.0', { abi: '147' });
    assert.equal(find('v24.22.1', unsound), null);
    assert.equal(find('v24.21.0', unsound), join(unsound, 'node'));
  });

  it("is not one of npm's, in a relative folder, or in one that everybody can write to", () => {
    const npm = host('node_modules/.bin/..', '24.99.0');
    assert.equal(find('v24.21.0', npm), null);
    const link = join(folder, 'link');
    mkdirSync(link);
    symlinkSync(join(npm, 'node'), join(link, 'node'));
    assert.equal(find('v24.21.0', link), null);
    assert.equal(find('v24.21.0', '', '.', 'bin'), null);
    const open = host('open', '24.99.0');
    chmodSync(join(open, 'node'), 0o777);
    assert.equal(find('v24.21.0', open), null);
    const leads = host('leads', '24.99.0', { told: 'node' });
    assert.equal(find('v24.21.0', leads), null);
  });

  it('is skipped when it cannot be examined', () => {
    const looping = join(folder, 'looping');
    mkdirSync(looping);
    symlinkSync('node', join(looping, 'node'));
    const newer = host('beside', '24.22.1');
    assert.equal(find('v24.21.0', looping, newer), join(newer, 'node'));
  });

  it("may be a version manager's script: the program behind it is used", () => {
    const real = host('real', '24.99.0');
    const shim = host('shim', '24.99.0', { told: join(real, 'node') });
    assert.equal(find('v24.21.0', shim), join(real, 'node'));
  });

  it('that fails or prints nonsense does not count', () => {
    const broken = join(folder, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'node'), '#!/nowhere\n', { mode: 0o755 });
    assert.equal(find('v24.21.0', broken, host('nonsense', 'x'), join(folder, 'none')), null);
  });

  const start = (path: string, args: readonly string[], env: Record<string, string> = {}) =>
    spawn(bundled, ['--max-semi-space-size=24', script, ...args], {
      env: { PATH: `${path}:/usr/bin:/bin`, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });

  it('takes over the process with its id, options, arguments, environment, input and exit status', async () => {
    const rest = 'echo "$$|$*|$MARK|$(cat)"; exit 7';
    const child = start(host('takes-over', '24.99.0', { rest }), ['doctor', '--json'], { MARK: 'kept' });
    child.stdin.end('input');
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    assert.equal(stdout, `${child.pid}|--max-semi-space-size=24 ${script} doctor --json|kept|input\n`);
    assert.deepEqual([child.exitCode, stderr], [7, '']);
  });

  it("receives the process's signals", async () => {
    const rest = "trap 'echo stopped; exit 3' TERM; echo up; while :; do sleep 0.05; done";
    const child = start(host('signals', '24.99.0', { rest }), ['serve']);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
    assert.deepEqual([child.exitCode, stdout], [3, 'stopped\n']);
  });

  it('is examined once, and not again by its child processes', async () => {
    // The real one, where npm did not install it, under a newer name.
    const real = placeNode(join(folder, 'real-node'));
    const path = host('once', '24.99.0', { told: real });
    const child = start(path, ['--version']);
    child.stdin.end();
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    assert.deepEqual([child.exitCode, stdout, stderr], [0, `${packageJson.version}\n`, '']);
    assert.equal(readFileSync(join(path, 'node.asked'), 'utf8'), 'asked\n');
  });

  it('is not looked for where the running one does not come from npm', async () => {
    const elsewhere = placeNode(join(folder, 'elsewhere'));
    const path = host('unasked', '24.99.0', { rest: 'echo taken' });
    const child = spawn(elsewhere, [script, '--version'], { env: { PATH: path }, stdio: ['ignore', 'pipe', 'ignore'] });
    assert.equal(await text(child.stdout), `${packageJson.version}\n`);
  });
});
