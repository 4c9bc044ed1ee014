import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Measurements } from './fit.ts';
import { type Mix, type RequestTimes, sizeOf, sizingReport, sizingTable, usualMix } from './sizing.ts';

const read = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const measurements: Measurements = read('measured.json');
const { times }: { times: RequestTimes } = read('request-times.json');
const nothing: Mix = { 'sign-ins': 0, refreshes: 0, introspections: 0, userinfos: 0, 'client-tokens': 0 };
const sized = (users: number, mix: Partial<Mix>, cores = 4) =>
  sizeOf(measurements, times, { users, mix: { ...nothing, ...mix }, peak: 0.15, cores });

test('what users do in the busiest hour is what one second has to bear', () => {
  // 24,000 users, each with a refresh a day, 15 % of them in an hour: one a second.
  const { parts, coresOnSqlite } = sized(24_000, { refreshes: 1 });
  assert.equal(parts.find(({ name }) => name === 'refreshes')?.perSecond, 1);
  assert.ok(Math.abs(coresOnSqlite - times.refresh / 1e6) < 1e-12);
  assert.equal(sized(24_000, {}).nodes, 0);
});

test('twice the users need twice the processors, and larger machines are fewer', () => {
  const [one, two] = [sized(1e7, usualMix), sized(2e7, usualMix)];
  assert.ok(Math.abs(two.coresOnSqlite / one.coresOnSqlite - 2) < 1e-9);
  assert.ok(Math.abs(two.databaseUse / one.databaseUse - 2) < 1e-9);
  assert.ok(two.nodes > one.nodes);
  assert.ok(sized(1e7, usualMix, 16).nodes < one.nodes);
});

test('a password costs the service, not the database', () => {
  const [passwords, refreshes] = [sized(1e6, { 'sign-ins': 1 }), sized(1e6, { refreshes: 1 })];
  assert.ok(passwords.coresOnSqlite > refreshes.coresOnSqlite + (1e6 * 0.15 * times.delegated) / 3600 / 1e6);
  const served = (times.delegated + 3 * times.pushed + times.refresh) / times.refresh;
  const written = (3 * times.pushed + times.refresh) / times.refresh;
  assert.ok(written < served);
  assert.ok(Math.abs(passwords.databaseUse / refreshes.databaseUse - written) < 1e-9);
});

test('the report says a database that is too small, and the table has a row for each size', () => {
  const report = (users: number) =>
    sizingReport(measurements, times, { users, mix: usualMix, peak: 0.15, cores: 2 }).split('\n');
  assert.equal(report(1_000).length, 8);
  assert.ok(!report(1_000).join().includes('too much'));
  assert.ok(report(1e9).join().includes('too much'));
  assert.equal(sizingTable(measurements, times).split('\n').length, 6);
});
