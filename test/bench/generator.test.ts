import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freshDatabase } from '../support/postgres.ts';
import { isWhole } from '../support/sample.ts';
import { prepareGatehouse } from './gatehouse.ts';
import { type Generator, startGenerator } from './generator-process.ts';
import { type Server, startFloor, startOidcProvider, startPostgresFloor } from './servers.ts';

const load = { connections: 4, warmUpMilliseconds: 10, milliseconds: 50 };

describe('the generator of load', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  let generator: Generator;
  before(() => {
    generator = startGenerator();
  });
  after(() => {
    generator.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Twice where there are tokens, for the second load continues with those that the first one left. */
  async function loadEach(server: Server, kinds: number): Promise<void> {
    // A server that runs on keeps the process of the tests alive.
    try {
      const targets = Object.values(server.targets);
      assert.equal(targets.length, kinds);
      for (const target of targets) {
        generator.add(target);
        for (let turn = 0; turn < (target.tokens.length > 0 ? 2 : 1); turn += 1) {
          const { errors, firstError } = await generator.measure({ ...load, name: target.name });
          assert.equal(errors, 0, `${target.name}: ${firstError}`);
        }
      }
    } finally {
      await server.stop();
    }
  }

  it('gets good answers from the service under test', async () => {
    const prepared = await prepareGatehouse('SQLite', 'sqlite', 8);
    await loadEach(await prepared.serve(), 19).finally(prepared.dispose);
  });

  // The other keeper of the second peer's tokens answers below.
  it('gets good answers from each peer', async () => {
    await loadEach(await startFloor(folder, 8), 19);
    // Benchmarks run them, and stop at a bad answer; the drill M8 asks all.
    if (!isWhole) return;
    const database = await freshDatabase();
    await loadEach(await startPostgresFloor(database.url, process.pid, folder, 8), 19).finally(database.drop);
    await loadEach(await startOidcProvider('sqlite', folder, 8), 12);
  });

  it('counts every bad answer as an error', async () => {
    const server = await startOidcProvider('map', folder, 8);
    const { refresh } = server.targets;
    assert.ok(refresh);
    generator.add({ ...refresh, name: 'unknown tokens', tokens: Array.from({ length: 8 }, () => 'unknown') });
    const { requests, errors, firstError } = await generator.measure({ ...load, name: 'unknown tokens' });
    assert.equal(requests, 0);
    assert.ok(errors > 0);
    assert.match(firstError ?? '', /^400 .*invalid_grant/);
    await server.stop();
  });
});
