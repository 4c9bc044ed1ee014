import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { costLine, line, processorLine, promises, rateLine, shareLine } from './lines.ts';
import { reportJson, reportText } from './report.ts';
import { median, percentile, type Series } from './series.ts';
import type { Measurement } from './target.ts';

function series(rates: readonly number[], errors = 0): Series {
  const measurements = rates.map(
    (perSecond): Measurement => ({
      name: 'a refresh',
      requests: perSecond,
      perSecond,
      p50Milliseconds: 1,
      p99Milliseconds: 2,
      errors: 0,
      firstError: null,
      serverMicroseconds: 400,
      generatorMicroseconds: 40,
      from: 0,
      to: 1e6,
    }),
  );
  return { name: 'a refresh', label: 'a, refresh', measurements, errors, firstError: null, peakMemory: 100 };
}

describe('lines of the bench', () => {
  it('takes the median', () => {
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 2, 3]), 2.5);
    assert.equal(median([7]), 7);
  });

  it('takes a percentile', () => {
    const values = Array.from({ length: 20 }, (_, place) => 20 - place);
    assert.equal(percentile(values, 0.95), 19);
    assert.equal(percentile([5], 0.95), 5);
  });

  it('compares neighbouring rounds, so that a slow phase of the machine cancels out', () => {
    const { figure, against, ratio, holds } = rateLine(
      'refresh/durable',
      series([400, 40, 440]),
      series([100, 10, 110]),
    );
    assert.deepEqual({ figure, against, ratio, holds }, { figure: 400, against: 100, ratio: 4, holds: true });
    assert.equal(rateLine('refresh/durable', series([320, 320]), series([100, 100])).holds, false);
  });

  it('computes cost as time per answer', () => {
    const { figure, ratio, holds } = costLine('refresh/million', series([500]), series([1000]));
    assert.deepEqual({ figure, ratio, holds }, { figure: 2000, ratio: 2, holds: false });
  });

  it('compares processor time round by round, whatever the rates', () => {
    const own = series([100, 100]);
    const [first, second] = own.measurements;
    assert.ok(first && second);
    const measurements = [
      { ...first, serverMicroseconds: 450 },
      { ...second, serverMicroseconds: 550 },
    ];
    const { figure, against, ratio, holds } = processorLine(
      'document/authorize',
      { ...own, measurements },
      series([900, 10]),
    );
    assert.deepEqual({ figure, against, ratio, holds }, { figure: 500, against: 400, ratio: 1.25, holds: false });
    assert.equal(processorLine('document/authorize', own, series([1, 2])).holds, true);
    const untold = { ...own, measurements: [{ ...first, serverMicroseconds: null }] };
    assert.equal(processorLine('document/authorize', untold, own).holds, false);
  });

  it('shows the share of its floor in what a request costs, and promises nothing', () => {
    const own = series([100, 100]);
    const measurements = own.measurements.map((one) => ({ ...one, serverMicroseconds: 100 }));
    const { figure, against, ratio, target, holds } = shareLine('jwks/floor', own, { ...own, measurements });
    assert.deepEqual(
      { figure, against, ratio, target, holds },
      { figure: 400, against: 100, ratio: 0.25, target: null, holds: null },
    );
  });

  it('compares each request with its floor on both databases', () => {
    const beside = Object.keys(promises).filter((name) => /^[\w-]+\/floor$/.test(name));
    const onPostgres = beside.filter((name) => name.startsWith('postgres'));
    const onSqlite = beside.filter((name) => !onPostgres.includes(name));
    const expected = onSqlite.map((name) => (name === 'refresh/floor' ? 'postgres/floor' : `postgres-${name}`));
    assert.deepEqual(onPostgres.toSorted(), expected.toSorted());
  });

  it('fails every line that met an error', () => {
    assert.equal(rateLine('refresh/durable', series([400], 1), series([100])).holds, false);
    assert.equal(line('refresh/p99', { figure: 20, unit: 'ms' }).holds, true);
    assert.equal(line('refresh/p99', { figure: 20, unit: 'ms', errors: 1 }).holds, false);
    assert.equal(line('refresh/rss', { figure: Number.NaN, unit: 'MB' }).holds, false);
  });

  it('states for each line the figure, its limit, and whether it holds', () => {
    const lines = [
      rateLine('refresh/durable', series([400]), series([100])),
      rateLine('postgres/two', series([300]), series([250]), false),
    ];
    assert.deepEqual(JSON.parse(reportJson(lines)), [
      { line: 'refresh/durable', figure: 400, unit: 'req/s', against: 100, ratio: 4, target: 3.3, holds: true },
      { line: 'postgres/two', figure: 300, unit: 'req/s', against: 250, ratio: 1.2, target: null, holds: null },
    ]);
    const text = reportText({ machine: ['a machine'], lines, series: [series([400])] });
    assert.match(text, /^refresh\/durable +400 req\/s +100 +a, refresh +4\.00 +≥ 3\.3 × +holds$/m);
    assert.match(text, /^postgres\/two +300 req\/s +250 +a, refresh +1\.20 +reported$/m);
  });
});
