import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fastTests, selectTests } from '../../scripts/select-tests.ts';
import { onlyVariable } from '../support/only-these.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const support = (name: string) => new URL(`../support/${name}.ts`, import.meta.url).href;

describe('named test files', () => {
  it('a test file selects itself, a module selects the files that run it', () => {
    assert.deepEqual(selectTests(['test/config.test.ts']), { files: ['test/config.test.ts'], only: [] });
    const dpop = join(root, 'test/surfaces/oauth2/dpop.ts');
    assert.deepEqual(selectTests([dpop]), { files: [join(root, 'test/surfaces/oauth2/oauth2.test.ts')], only: [dpop] });
  });

  it('a missing file, or one without tests, is refused', () => {
    assert.throws(() => selectTests(['test/nothing.ts']), /^Error: no such file: test\/nothing\.ts$/);
    assert.throws(
      () => selectTests(['test/config.test.ts', 'test/nothing.test.ts']),
      /no such file: .*nothing\.test\.ts/,
    );
    assert.throws(() => selectTests(['test/domain']), /no such file: test\/domain/);
    assert.throws(() => selectTests(['test/support/wire.ts']), /wire\.ts declares no tests/);
  });
});

describe('a fast run', () => {
  it('has units and surfaces, but nothing that starts a program, a browser, or PostgreSQL', () => {
    const fast = fastTests();
    for (const name of ['domain/users/users', 'http/cursor', 'pages/views', 'surfaces/oauth2/oauth2', 'store/grants']) {
      assert.ok(fast.includes(`test/${name}.test.ts`), name);
    }
    // By what it imports itself, by what that imports, by the database that it names, by its folder.
    const names = ['browser/passkeys', 'cli/doctor', 'contracts/generated-client', 'conformance/openid-client'];
    for (const name of [...names, 'domain/hooks/propagation', 'store/pooler', 'faults/endings', 'faults/races']) {
      assert.ok(!fast.includes(`test/${name}.test.ts`), name);
    }
  });
});

describe('a named module', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-only-'));
    writeFileSync(
      join(folder, 'module.ts'),
      `import { describe, it } from 'node:test';
      export function declare() { describe('inner', () => { it('of the module', () => {}); }); }`,
    );
    writeFileSync(
      join(folder, 'whole.test.ts'),
      `import { describe, it } from 'node:test';
      import { declare } from './module.ts';
      describe('outer', () => { declare(); it('of the file', () => {}); });`,
    );
    for (const name of ['none.test.ts', 'none.test.mjs']) writeFileSync(join(folder, name), 'export {};');
  });
  after(() => rmSync(folder, { recursive: true }));

  async function count(file: string, only?: string): Promise<number> {
    const { NODE_TEST_CONTEXT: _, [onlyVariable]: __, ...env } = process.env;
    const counted = join(folder, 'counted');
    const args = ['--test', `--import=${support('only')}`, `--test-reporter=${support('count-tests')}`];
    await promisify(execFile)(
      process.execPath,
      [...args, `--test-reporter-destination=${counted}`, join(folder, file)],
      {
        env: { ...env, ...(only !== undefined && { [onlyVariable]: join(folder, only) }) },
      },
    );
    return Number(readFileSync(counted, 'utf8'));
  }

  it('declares its tests, and the rest of the file declares none', async () => {
    assert.equal(await count('whole.test.ts'), 2);
    assert.equal(await count('whole.test.ts', 'module.ts'), 1);
    assert.equal(await count('whole.test.ts', 'another.ts'), 0);
  });

  it('a missing file, or a pattern without matches, ends the run with a message', async () => {
    // Without PostgreSQL, which neither needs.
    const run = (name: string) =>
      promisify(execFile)(process.execPath, ['scripts/test.ts', '--fast', name], { cwd: root }).catch((error) => error);
    const one = await run('test/nothing.test.ts');
    assert.deepEqual([one.code, one.stderr], [2, 'no such file: test/nothing.test.ts\n']);
    const none = await run('test/nothing*.test.ts');
    assert.equal(none.code, 1);
    assert.match(none.stderr, /^No test ran\.$/m);
    assert.doesNotMatch(none.stderr, /ENOENT/);
  });

  it('a file without tests counts none', async () => {
    assert.equal(await count('none.test.ts'), 0);
    // As groups of files are named.
    assert.equal(await count('none.test.mjs'), 0);
  });
});
