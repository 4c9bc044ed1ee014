import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createClock, createCores } from './cores.ts';
import { errorOf, fitModel, line, type Measurements, machineOf, type Row } from './fit.ts';
import { type Costs, simulate } from './model.ts';
import { comparisonReport, predictionReport } from './report.ts';
import { needsOf, place, recoverySeconds, zipf } from './world.ts';

const costs: Costs = {
  loop: 280,
  loopBatch: 700,
  loopRead: 200,
  databaseRead: 200,
  signature: 350,
  database: 90,
  databaseBatch: 600,
  client: 60,
};

const kept = { machine: [], cores: 2, flush: 220, logBytes: 1_500, rows: [] } satisfies Measurements;

function rowOf(processes: number, connections: number): Row {
  const outcome = simulate(costs, machineOf(kept, { processes, connections }, 0));
  const { loop, database } = outcome.used;
  return {
    processes,
    connections,
    perSecond: outcome.perSecond,
    loop,
    threads: costs.signature,
    database,
    client: costs.client,
    batchSize: outcome.batchSize,
  };
}

test('what is due happens in the order of time, and at the same time in the order in which it came', () => {
  const clock = createClock();
  const happened: string[] = [];
  for (const [time, name] of [
    [5, 'c'],
    [1, 'a'],
    [5, 'd'],
    [2, 'b'],
    [9, 'late'],
  ] as const) {
    clock.at(time, () => happened.push(`${name}${clock.now()}`));
  }
  clock.runUntil(8);
  assert.deepEqual(happened, ['a1', 'b2', 'c5', 'd5']);
  assert.equal(clock.now(), 8);
});

test('threads take turns on a core, and each change costs; on two cores neither waits', () => {
  const endsOf = (cores: number) => {
    const clock = createClock();
    const machine = createCores(clock, { cores, slice: 100, change: 10 });
    const ends: number[] = [];
    const threads = [machine.createThread(), machine.createThread()];
    for (const thread of threads) thread.use(150, () => ends.push(clock.now()));
    clock.runUntil(1_000);
    return { ends, used: threads.map((thread) => thread.used()) };
  };
  assert.deepEqual(endsOf(1), { ends: [280, 340], used: [170, 170] });
  assert.deepEqual(endsOf(2), { ends: [160, 160], used: [160, 160] });
});

test('work that a thread gets at the end of its last work is done once', () => {
  const clock = createClock();
  const thread = createCores(clock, { cores: 2, slice: 100, change: 0 }).createThread();
  const ends: number[] = [];
  thread.use(10, () => thread.use(20, () => ends.push(clock.now())));
  clock.runUntil(100);
  assert.deepEqual(ends, [30]);
  assert.equal(thread.used(), 30);
});

test('a line is fitted by least squares, and neither end falls below zero', () => {
  const { a, b } = line([
    [0, 100],
    [1, 300],
    [0.5, 200],
  ]);
  assert.ok(Math.abs(a - 100) < 1e-9 && Math.abs(b - 200) < 1e-9);
  assert.deepEqual(line([[1, 5]]), { a: 5, b: 0 });
  assert.equal(
    line([
      [1, 10],
      [2, 30],
    ]).a,
    0,
  );
});

test('the model uses no more than the cores have, and more of them answer more', () => {
  const perSecond = [1, 2, 8].map((cores) => {
    const outcome = simulate(costs, { ...machineOf(kept, { processes: 4, connections: 64 }, 0), cores });
    assert.ok(outcome.perSecond * (outcome.used.all + costs.client) <= cores * 1e6 * 1.01);
    return outcome.perSecond;
  });
  assert.ok(perSecond.every((rate, index) => index === 0 || rate > (perSecond[index - 1] ?? 0)));
});

test('from what the model itself measures of one process, several are predicted within a twentieth', () => {
  const measured = { ...kept, rows: [rowOf(0, 32), rowOf(0, 4), rowOf(0, 12), rowOf(2, 32), rowOf(4, 32)] };
  const found = fitModel(measured);
  for (const row of measured.rows) {
    const error = errorOf(measured, found, row);
    assert.ok(Math.abs(error) < 0.05, `${row.processes} processes, ${row.connections} connections: ${error}`);
  }
});

test('the tables say of each row that was kept what was measured and what the model answers', () => {
  const measured = JSON.parse(readFileSync(new URL('measured.json', import.meta.url), 'utf8')) as Measurements;
  const report = comparisonReport(measured);
  for (const { perSecond } of measured.rows) assert.ok(report.includes(`| ${perSecond.toLocaleString('en')} |`));
  assert.equal(report.match(/ %/g)?.length, measured.rows.length);
  assert.match(predictionReport(measured), /\| 64 \|/);
});

test('shares follow the rank and are 1 together, on accounts and on databases', () => {
  const shares = zipf(1_000, 1);
  assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-9);
  assert.ok(Math.abs((shares[0] ?? 0) / (shares[9] ?? 1) - 10) < 1e-9);
  const loads = place(shares, 8);
  assert.equal(loads.length, 8);
  assert.ok(Math.abs(loads.reduce((sum, load) => sum + load, 0) - 1) < 1e-9);
});

test('needs grow with the demand, and the largest account is told when no number of databases helps it', () => {
  const capacity = {
    serviceMicroseconds: 700,
    databaseMicroseconds: 250,
    logBytes: 1_500,
    cores: 16,
    logBytesPerSecond: 500e6,
    share: 0.6,
  };
  const few = needsOf({ perSecond: 10_000, accounts: 10_000, exponent: 1 }, capacity);
  assert.deepEqual([few.nodes, few.databases, few.first], [1, 1, 'service']);
  const many = needsOf({ perSecond: 1_000_000, accounts: 10_000, exponent: 1 }, capacity);
  assert.deepEqual([many.nodes, many.databases, many.first], [73, null, 'largest account']);
  const log = { ...capacity, logBytes: 15_000, serviceMicroseconds: 10 };
  assert.equal(needsOf({ perSecond: 10_000, accounts: 10_000, exponent: 1 }, log).first, 'database log');
});

test('an outage is over for the last client when the rest of the capacity has answered what waited', () => {
  assert.equal(recoverySeconds(20, 0.5), 40);
  assert.equal(recoverySeconds(20, 1), Number.POSITIVE_INFINITY);
});
