/** Connections and processes: real ones, which only answer their number. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createLog } from '../../src/adapters/log.ts';
import type { ChildPatience } from '../../src/processes/child.ts';
import { writePlace } from '../../src/processes/count.ts';
import { createFleet, type Fleet } from '../../src/processes/fleet.ts';
import { createHandout } from '../../src/processes/handout.ts';
import { until } from '../support/until.ts';

const script = fileURLToPath(new URL('answering-process.ts', import.meta.url));
const count = 2;

describe('processes that share a port', () => {
  const lines: string[] = [];
  const handout = createHandout();
  const server = createServer({ pauseOnConnect: true }, handout.add);
  let broken: readonly string[] = [];
  let fleet: Fleet;
  let port = 0;

  before(async () => {
    const write = (some: string) => lines.push(...some.trimEnd().split('\n'));
    fleet = createFleet({
      count,
      handout,
      log: createLog({ level: 'info', destination: { write } }),
      write,
      commandOf: (place) => [script, ...broken, ...writePlace(place)],
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    assert.equal(await fleet.startFirst(), null);
    fleet.fill();
    await until(async () => (await ask()).serving === count);
  });

  after(async () => {
    server.close();
    await fleet.end(() => true);
  });

  /** On a connection of its own, unless the agent has one. */
  async function answer(path = '/', agent: Agent | false = false): Promise<string> {
    const asked = request({ host: '127.0.0.1', port, path, agent }).end();
    const [res] = await once(asked, 'response');
    return text(res);
  }

  async function ask(agent: Agent | false = false): Promise<{ pid: number; wanted: number; serving: number }> {
    return JSON.parse(await answer('/', agent));
  }

  async function counted(): Promise<number> {
    const page = await answer('/metrics');
    // Each process reads the same of the database: not 14.
    assert.match(page, /^gatehouse_removals_waiting 7$/m);
    return Number(/^gatehouse_password_queue_refused_total (\d+)$/m.exec(page)?.[1]);
  }

  async function pids(): Promise<number[]> {
    const answers = await Promise.all(Array.from({ length: count * 2 }, () => ask()));
    return [...new Set(answers.map(({ pid }) => pid))];
  }

  function told(event: string): boolean {
    return lines.some((line) => line.includes(`"event":"${event}"`));
  }

  it('take connections in turn', async () => {
    const agents = Array.from({ length: 4 }, () => new Agent({ keepAlive: true }));
    const asked: number[] = [];
    for (const agent of agents) asked.push((await ask(agent)).pid, (await ask(agent)).pid);
    for (const agent of agents) agent.destroy();
    const [one, other] = [asked[0], asked[2]];
    assert.notEqual(one, other);
    assert.deepEqual(asked, [one, one, other, other, one, one, other, other]);
  });

  it('have one page of metrics, and write whole lines', async () => {
    const before = await counted();
    await Promise.all(Array.from({ length: 6 }, () => ask()));
    assert.equal(await counted(), before + 7);
    assert.deepEqual(lines.filter((line) => line.startsWith('line of')).toSorted(), ['line of 1/2', 'line of 2/2']);
  });

  it('lose no connection that a dying one had not taken, and no count that was shown', async () => {
    const [victim = 0, other = 0] = await pids();
    const shown = await counted();
    process.kill(victim, 'SIGSTOP');
    const asked = [ask(), ask(), ask()];
    // Two turns: the stopped one has one of the connections.
    await Promise.race(asked);
    process.kill(victim, 'SIGKILL');
    const answers = await Promise.all(asked);
    assert.ok(answers.every(({ pid }) => pid !== victim));
    assert.ok(answers.some(({ pid }) => pid === other));
    await until(() => told('process ended'));
    assert.ok((await counted()) >= shown + 3);
    await until(async () => (await ask()).serving === count);
    assert.ok(!(await pids()).includes(victim));
  });

  it('are replaced one by one while every request is answered', async () => {
    const former = await pids();
    let goesOn = true;
    const kept = new Agent({ keepAlive: true, maxSockets: 2 });
    const load = async (path: string, agent: Agent | false) => {
      let answered = 0;
      while (goesOn) {
        await answer(path, agent);
        answered += 1;
      }
      return answered;
    };
    const loads = [load('/', false), load('/slow', false), load('/', kept), load('/slow', kept)];
    await fleet.replace();
    const shown = await counted();
    goesOn = false;
    assert.ok((await Promise.all(loads)).every((answered) => answered > 0));
    kept.destroy();
    const present = await pids();
    assert.equal(present.length, count);
    assert.ok(present.every((pid) => !former.includes(pid)));
    assert.ok(shown <= (await counted()));
    assert.ok(told('processes replaced'));
  });

  it('stay where a new one does not start', async () => {
    const former = await pids();
    broken = ['--broken'];
    await fleet.replace();
    broken = [];
    assert.ok(told('processes not replaced'));
    assert.deepEqual((await pids()).toSorted(), former.toSorted());
  });

  it('end the connection with each answer once the service will stop, also those that come later', async () => {
    fleet.leave();
    for (const pid of await pids()) process.kill(pid, 'SIGKILL');
    const kept = new Agent({ keepAlive: true });
    const asked = request({ host: '127.0.0.1', port, agent: kept }).end();
    const [res] = await once(asked, 'response');
    await text(res);
    kept.destroy();
    assert.equal(res.headers.connection, 'close');
  });
});

describe('a process', () => {
  let fleet: Fleet;
  afterEach(async () => {
    fleet.kill();
    await fleet.end(() => true);
  });

  /** One that is started with these words, and what was logged of it. */
  async function startOne(words: readonly string[], patience?: ChildPatience) {
    const lines: string[] = [];
    const handout = createHandout();
    fleet = createFleet({
      count: 1,
      handout,
      log: createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } }),
      write: () => {},
      commandOf: (place) => [script, ...words, ...writePlace(place)],
      ...(patience && { patience }),
    });
    return { handout, lines, ending: await fleet.startFirst() };
  }

  it('whose start was killed is told, as it could not say why', async () => {
    const { ending, lines } = await startOne(['--killed']);
    assert.equal(ending?.signal, 'SIGKILL');
    assert.match(lines.join(''), /"reason":"SIGKILL","event":"process ended"/);
  });

  it('whose event loop stands still is killed, but not before it serves: migrations may take long', async () => {
    const { handout, lines, ending } = await startOne(['--migrates'], { ping: 300, end: 25_000 });
    assert.equal(ending, null);
    assert.deepEqual(lines, []);
    const server = createServer({ pauseOnConnect: true }, handout.add).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const asked = request({ host: '127.0.0.1', port, path: '/hang' }).end();
    const [error] = await once(asked, 'error');
    server.close();
    await fleet.end(() => true);
    assert.equal(error.code, 'ECONNRESET');
    assert.match(lines.join(''), /"reason":"no answer for 1.8 s","pid":\d+,"event":"process ended"/);
  });

  it('that does not end in time is killed, and told', async () => {
    const { lines } = await startOne(['--stays'], { ping: 5_000, end: 100 });
    await fleet.end(() => true);
    assert.match(lines.join(''), /"reason":"it did not end in time","pid":\d+,"event":"process ended"/);
  });
});

describe('a process without file descriptors', { skip: process.platform === 'win32' }, () => {
  const { execPath } = process;
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-few-'));
    const few = join(folder, 'node');
    writeFileSync(few, `#!/bin/sh\nulimit -n 100\nexec '${execPath}' "$@"\n`);
    chmodSync(few, 0o755);
    process.execPath = few;
  });
  after(() => {
    process.execPath = execPath;
    rmSync(folder, { recursive: true });
  });

  it('loses no connection that did not reach it, and gets others again once it has some', async () => {
    let said = '';
    const handout = createHandout();
    const fleet = createFleet({
      count: 1,
      handout,
      log: createLog({ level: 'info', destination: { write: () => {} } }),
      write: (lines) => {
        said += lines;
      },
      commandOf: (place) => [script, ...writePlace(place)],
    });
    const server = createServer({ pauseOnConnect: true }, handout.add).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const pidOf = async () => {
      const [res] = await once(request({ host: '127.0.0.1', port, agent: false }).end(), 'response');
      return JSON.parse(await text(res)).pid as number;
    };
    try {
      assert.equal(await fleet.startFirst(), null);
      const pid = await pidOf();
      process.kill(pid, 'SIGWINCH');
      await until(() => said.includes('has no descriptor'));
      let missed = 0;
      const { missed: giveAgain } = handout;
      handout.missed = (taker) => {
        missed += 1;
        giveAgain(taker);
      };
      const asked = [pidOf(), pidOf()];
      await until(() => missed >= 2);
      process.kill(pid, 'SIGWINCH');
      assert.deepEqual(await Promise.all(asked), [pid, pid]);
      assert.equal(await pidOf(), pid);
    } finally {
      server.close();
      await fleet.end(() => true);
    }
  });
});
