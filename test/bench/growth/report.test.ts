import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Noticed } from './beside.ts';
import type { Grew } from './measure.ts';
import { holds, type Measured } from './measure-use.ts';
import { growthReport, growthSection, holdsAll, sectionOf, withSection } from './report.ts';

const calm: Noticed = { refreshes: [4, 5], healthz: [1, 2], errors: 0, firstError: null };

function measured(name: string, few: number, many: number, more: { grows?: string; noticed?: Noticed } = {}): Measured {
  const { grows, noticed = calm } = more;
  const parts = { group: 'api-2 users', surface: 'api-2', operation: 'readUser', method: 'GET' };
  const use = { name, ...parts, prepare: () => ({ path: '/' }), ...(grows !== undefined && { grows }) };
  return { use, few, many, failure: null, noticed };
}

const grewBy = (...all: Measured[]): Grew => ({ kind: 'sqlite', users: 300_000, measured: all, deletions: [] });

describe('the report of growth', () => {
  it('an operation may take twice as long plus a millisecond, unless its contract lets it grow', () => {
    const bounds = [
      measured('bounded', 2, 5),
      measured('slow', 2, 5.01),
      measured('counted', 2, 50, { grows: 'it counts' }),
      { ...measured('failed', Number.NaN, Number.NaN), failure: '500' },
    ];
    assert.deepEqual(bounds.map(holds), [true, false, null, false]);
  });

  it('passes if nothing waits: refreshes by 99th percentile, /healthz by maximum, no errors', () => {
    const felt = (more: Partial<Noticed>) => holdsAll(grewBy(measured('a', 1, 1, { noticed: { ...calm, ...more } })));
    assert.equal(felt({}), true);
    assert.equal(felt({ refreshes: [60], healthz: [100] }), true);
    assert.equal(felt({ refreshes: [61] }), false);
    assert.equal(felt({ refreshes: [...Array.from({ length: 100 }, () => 5), 61] }), true);
    assert.equal(felt({ healthz: [1, 1, 101] }), false);
    assert.equal(felt({ errors: 1, firstError: '503' }), false);
    assert.equal(holdsAll(grewBy(measured('slow', 1, 9))), false);
  });

  it('a deletion is judged like an operation, and must succeed', () => {
    const deletion = { name: 'an app', milliseconds: 3, clearing: 900, failure: null, noticed: calm };
    const withDeletion = (more: object) => holdsAll({ ...grewBy(), deletions: [{ ...deletion, ...more }] });
    assert.equal(withDeletion({}), true);
    assert.equal(withDeletion({ noticed: { ...calm, healthz: [101] } }), false);
    assert.equal(withDeletion({ failure: '503' }), false);
  });

  it('prints every operation, and on the page those beyond their limit', () => {
    const grew = [
      grewBy(
        measured('api-2 a', 1, 1.5, { noticed: { ...calm, refreshes: [70] } }),
        measured('api-2 b', 1, 30),
        measured('api-2 c', 1, 2, { grows: 'it counts' }),
        measured('api-2 d', 1, 40, { grows: 'it lists all' }),
      ),
    ];
    const full = growthReport(grew);
    assert.match(full, /\| api-2 a \| 1\.00 \| 1\.50 \| 1\.50 \| 70\.0 \| 2\.00 \| holds \|/);
    const section = growthSection(grew);
    const rows = [...section.matchAll(/^\| (api-2 \w) \|.*\| ([^|]*) \|$/gm)].map(([, name, verdict]) => [
      name,
      verdict,
    ]);
    assert.deepEqual(rows, [
      ['api-2 b', 'MISSED'],
      ['api-2 d', 'reported, it lists all'],
    ]);
    assert.match(
      section,
      /\| api-2 users \| 4 \| api-2 b \| 30\.0 \| 7 \| 70\.0 \| api-2 a \| 2\.00 \| .* \| 0 \| MISSED \|/,
    );
  });

  it('has a place in the page and in the template of a full run', () => {
    const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
    assert.equal(sectionOf(read('../performance.md')), '{{growth}}');
    const page = read('../../../docs/performance.md');
    assert.equal(sectionOf(withSection(page, 'a $& table')), 'a $& table');
    assert.throws(() => withSection('# Performance', ''), /no place/);
  });
});
