import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import packageLock from '../../package-lock.json' with { type: 'json' };
import { addPackages, makePackage, type Package, setVersion, unpack } from '../support/package.ts';
import { freePort } from '../support/process.ts';
import { isWhole } from '../support/sample.ts';
import { until } from '../support/until.ts';

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
/** What runs in production, by its place below `node_modules`. */
const needed = Object.entries(
  packageLock.packages as Record<string, { name?: string; version: string; dev?: boolean }>,
).filter(([place, { dev }]) => place !== '' && !dev);

describe('the package that npm installs', () => {
  let folder: string;
  let made: Package;
  let project: string;
  let installed: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-package-'));
    made = makePackage(folder);
    project = join(folder, 'project');
    installed = unpack(made, project);
    addPackages(project);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('holds what the service runs and serves: JavaScript, contracts, docs; no source, test or script', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    const top = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'npm-shrinkwrap.json', 'package.json'];
    const folders = ['bin', 'deploy', 'docs', 'generated', 'openapi', 'src', 'types'];
    assert.deepEqual(readdirSync(installed).sort(), [...top, ...folders].sort());
    assert.deepEqual(
      files.filter((file) => /\.c?ts$/.test(file)),
      ['types/hooks.d.ts'],
    );
    const { scripts, private: hidden, devDependencies, overrides } = readJson(join(installed, 'package.json'));
    assert.deepEqual([scripts, hidden, devDependencies, overrides], [undefined, undefined, undefined, undefined]);
  });

  it('names the exact version of each package, and so does the list of materials', () => {
    const { '': own, ...others } = readJson(join(installed, 'npm-shrinkwrap.json')).packages;
    assert.deepEqual(Object.keys(others).sort(), needed.map(([place]) => place).sort());
    assert.deepEqual(own.dependencies, readJson(join(installed, 'package.json')).dependencies);
    const { bomFormat, components } = readJson(made.materials);
    assert.equal(bomFormat, 'CycloneDX');
    const told: string[] = components.map((one: { name: string; version: string }) => `${one.name}@${one.version}`);
    const namesOf = (all: typeof needed) => {
      return new Set(all.map(([place, one]) => `${place.split('node_modules/').at(-1)}@${one.version}`));
    };
    // npm tells one of those that are replaced by the same, under the name that it has there.
    const [replaced, original] = [needed.filter(([, one]) => one.name), needed.filter(([, one]) => !one.name)];
    const isReplaced = (name: string) => namesOf(replaced).has(name);
    assert.deepEqual(told.filter((one) => !isReplaced(one)).sort(), [...namesOf(original)].sort());
  });

  /** Starts it in a folder that has nothing, by a Node that says it is of another version. */
  async function serve(cwd: string, options: readonly string[] = []) {
    const port = await freePort();
    const env = { PATH: dirname(process.execPath), PORT: String(port), DRAIN_SECONDS: '0' };
    const args = [...options, join(installed, 'bin/gatehouse.js'), 'serve', '--demo'];
    const child = spawn(process.execPath, args, { cwd, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    await until(() => output.includes('"event":"listening"') || child.exitCode !== null);
    assert.equal(child.exitCode, null, output);
    return { child, base: `http://127.0.0.1:${port}`, output: () => output };
  }

  async function stop(child: ChildProcessWithoutNullStreams): Promise<number | null> {
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    return (await closed)[0];
  }

  it('starts in an empty folder, runs hooks, and a later one goes on with the same data', async () => {
    const cwd = join(folder, 'empty');
    mkdirSync(cwd);
    const first = await serve(cwd);
    assert.match(first.output(), /Where to go from here: http:/);
    assert.doesNotMatch(first.output(), /"event":"hooks cannot run"/);
    for (const path of ['/readyz', '/docs', '/docs/hooks', '/docs/oauth2', '/openapi/oauth2.yaml']) {
      assert.equal((await fetch(`${first.base}${path}`)).status, 200, path);
    }
    assert.equal(await stop(first.child), 0);
    const { credential } = readJson(join(cwd, 'data/demo.json'));

    // The sources are the same, and what was made of them takes seconds.
    const [cache, aside] = [join(installed, '.cache'), join(folder, 'cache')];
    renameSync(cache, aside);
    rmSync(installed, { recursive: true });
    setVersion(unpack(made, project), '99.0.0');
    renameSync(aside, cache);
    const second = await serve(cwd);
    assert.match(second.output(), /"version":"99\.0\.0"/);
    const answer = await fetch(`${second.base}/auth/oauth2/v2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${credential.client_id}:${credential.client_secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    assert.equal(answer.status, 200, await answer.text());
    assert.equal(await stop(second.child), 0);
  });

  it('runs its hooks and builds their packages by programs made of JavaScript', async () => {
    const args = [join(installed, 'bin/gatehouse.js'), '--json', 'doctor'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: join(folder, 'empty') });
    const findings: { layer: string; status: string; detail: string }[] = JSON.parse(stdout);
    for (const layer of ['hook runner', 'packages of hooks']) {
      const finding = findings.find((one) => one.layer === layer);
      assert.equal(finding?.status, 'ok', finding?.detail);
    }
  });

  const old = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })";
  const asOld = ['--import', `data:text/javascript,${old}`];

  it('goes on in the Node that npm brought along where the running one is too old', async () => {
    const cwd = join(folder, 'old');
    mkdirSync(cwd);
    // A command goes the same way.
    if (isWhole) {
      const { child, base, output } = await serve(cwd, asOld);
      assert.equal((await fetch(`${base}/readyz`)).status, 200);
      assert.equal(await stop(child), 0);
      assert.match(output(), /"event":"stopping".*\n.*"event":"stopped"/);
    }
    const args = [...asOld, join(installed, 'bin/gatehouse.js'), 'account', 'unheard-of'];
    const refused = await promisify(execFile)(process.execPath, args, { cwd }).catch((error) => error);
    assert.equal(refused.code, 2, 'the exit status is that of the command');
  });

  it('says so where there is none', async () => {
    rmSync(join(project, `node_modules/node-linux-${process.arch}`));
    const args = [...asOld, join(installed, 'bin/gatehouse.js'), 'serve'];
    const { code, stdout, stderr } = await promisify(execFile)(process.execPath, args).catch((error) => error);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^gatehouse: Node 20\.20\.2 is too old, it must be 24 or newer.*install a newer Node.*\n$/);
  });
});
