import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freshDatabase } from '../support/postgres.ts';
import { isWhole } from '../support/sample.ts';
import { prepareGatehouse } from './gatehouse.ts';
import { type Generator, startGenerator } from './generator-process.ts';
import { basicAuthorization, type Server, startFloor, startOidcProvider, startPostgresFloor } from './servers.ts';
import type { Target } from './target.ts';

const load = { connections: 4, warmUpMilliseconds: 10, milliseconds: 50 };

/** Those who know nothing that is secret. */
function strangersOf({ authorization, tokens }: Pick<Target, 'authorization' | 'tokens'>): Partial<Target> {
  if (!authorization) return { tokens: tokens.map(() => '1.wrong') };
  if (authorization.startsWith('Basic ')) return { authorization: basicAuthorization('floor', 'wrong') };
  return { authorization: authorization.startsWith('Bearer ') ? 'Bearer 1.wrong' : 'wrong' };
}

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

  async function during(server: Server, work: () => Promise<void>): Promise<void> {
    // A server that runs on keeps the process of the tests alive.
    await work().finally(server.stop);
  }

  /** Twice where there are tokens, for the second load continues with those that the first one left. */
  async function loadEach({ targets: all }: Server, kinds: number): Promise<void> {
    const targets = Object.values(all);
    assert.equal(targets.length, kinds);
    for (const target of targets) {
      generator.add(target);
      for (let turn = 0; turn < (target.tokens.length > 0 ? 2 : 1); turn += 1) {
        const { errors, firstError } = await generator.measure({ ...load, name: target.name });
        assert.equal(errors, 0, `${target.name}: ${firstError}`);
      }
    }
  }

  /** All but documents, which everybody may read. */
  async function refuseEach({ targets }: Server): Promise<void> {
    for (const { kind, ...target } of Object.values(targets)) {
      if (kind === 'jwks' || kind === 'discovery') continue;
      const name = `strangers, ${target.name}`;
      generator.add({ ...target, ...strangersOf(target), kind, name });
      const { requests, errors, firstError } = await generator.measure({ ...load, name });
      assert.ok(requests === 0 && errors > 0, name);
      assert.match(firstError ?? '', /^40[01] /, name);
    }
  }

  it('gets good answers from the service under test', async () => {
    const prepared = await prepareGatehouse('SQLite', 'sqlite', 8);
    const server = await prepared.serve();
    await during(server, () => loadEach(server, 19)).finally(prepared.dispose);
  });

  // The other keeper of the second peer's tokens answers below.
  it('gets good answers from each peer', async () => {
    const floor = await startFloor(folder, 8);
    await during(floor, () => loadEach(floor, 19).then(() => refuseEach(floor)));
    // Benchmarks run them, and stop at a bad answer; the drill M8 asks all.
    if (!isWhole) return;
    const database = await freshDatabase();
    const onPostgres = await startPostgresFloor(database.url, process.pid, folder, 8);
    await during(onPostgres, () => loadEach(onPostgres, 19).then(() => refuseEach(onPostgres))).finally(database.drop);
    const peer = await startOidcProvider('sqlite', folder, 8);
    await during(peer, () => loadEach(peer, 12));
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
