/** The dashboard and the alerts ask for metrics that there are, and the docs know each alert. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { catalogue } from '../../src/metrics/catalogue.ts';
import type { Meter } from '../../src/metrics/meters.ts';
import { createMetrics } from '../../src/metrics/registry.ts';
import { samplesOf } from '../metrics/samples.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const rules: readonly Rule[] = parse(read('deploy/prometheus/alerts.yaml')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const dashboard: { readonly panels: readonly Panel[] } = JSON.parse(read('deploy/grafana/gatehouse.json'));
const shown = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ where: `panel ${title}`, expr, legend: legendFormat })),
);
const asked = [...rules.map(({ alert, expr }) => ({ where: alert, expr })), ...shown];

const meters: Readonly<Record<string, Meter>> = catalogue;
/** Labels that Prometheus adds, and the bound of a bucket. */
const added = ['instance', 'job', 'le'];

/** The metric of a series; histograms have three. */
function meterOf(series: string): Meter | undefined {
  const base = series.replace(/_(count|sum|bucket)$/, '');
  return meters[series] ?? (meters[base]?.type === 'histogram' ? meters[base] : undefined);
}

/** Values that a matcher wants or shuts out, one by one. */
function valuesOf(text: string): readonly string[] {
  return text.split('|').filter((value) => !/[$.[]/.test(value));
}

function without(names: readonly string[], known: readonly string[]): readonly string[] {
  return names.filter((name) => !known.includes(name));
}

/** Each `label="text"` of an expression, with its series. */
function matchersOf({ where, expr }: { readonly where: string; readonly expr: string }) {
  return [...expr.matchAll(/\b(gatehouse_\w+)\{([^}]*)\}/g)].flatMap(([, series = '', matchers = '']) =>
    [...matchers.matchAll(/(\w+)\s*[=!]~?\s*"([^"]*)"/g)].map(([, label = '', text = '']) => ({
      where,
      series,
      label,
      text,
    })),
  );
}

describe('the dashboard and the alerts', () => {
  it('name metrics that there are', async () => {
    const ofProcess = new Set([...(await samplesOf(createMetrics())).keys()].map((name) => name.replace(/\{.*/, '')));
    for (const { where, expr } of asked) {
      for (const [, series = ''] of expr.matchAll(/\b(gatehouse_\w+|nodejs_\w+|process_\w+)/g)) {
        assert.ok(series.startsWith('gatehouse_') ? meterOf(series) : ofProcess.has(series), `${where}: ${series}`);
      }
    }
  });

  it('name labels of these metrics, and values of these labels', () => {
    for (const { where, series, label, text } of asked.flatMap(matchersOf)) {
      if (added.includes(label)) continue;
      const values = meterOf(series)?.labels[label];
      assert.ok(values, `${where}: ${series} has no label ${label}`);
      if (!('told' in values)) assert.deepEqual(without(valuesOf(text), values), [], `${where}: ${label}`);
    }
  });

  it('group by labels of the metrics that they name', () => {
    for (const { where, expr } of asked) {
      const known = [...expr.matchAll(/\b(gatehouse_\w+)/g)].flatMap(([, series = '']) =>
        Object.keys(meterOf(series)?.labels ?? {}),
      );
      const names = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, text = '']) => text.split(', '));
      assert.deepEqual(without(names, [...known, ...added]), [], where);
    }
  });

  it('every metric is on the dashboard', () => {
    const series = shown.flatMap(({ expr }) => [...expr.matchAll(/\bgatehouse_\w+/g)].map(([name]) => meterOf(name)));
    const missing = Object.entries(meters).filter(([, meter]) => !series.includes(meter));
    assert.deepEqual(
      missing.map(([name]) => name),
      [],
    );
  });

  it('no two panels overlap, and each fits the grid', () => {
    const taken = new Map<string, string>();
    for (const { title, gridPos } of dashboard.panels) {
      assert.ok(gridPos.x + gridPos.w <= 24, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.equal(taken.get(`${x} ${y}`), undefined, title);
          taken.set(`${x} ${y}`, title);
        }
      }
    }
  });

  it('the first answer of a series that begins with it is an increase too', () => {
    for (const { alert, expr } of rules) {
      for (const [, series = ''] of expr.matchAll(/increase\((\w+)/g)) {
        const isToldLater = Object.values(meterOf(series)?.labels ?? {}).some((values) => 'told' in values);
        if (isToldLater) assert.match(expr, new RegExp(`unless ${series}\\{[^}]*\\} offset 10m`), alert);
      }
    }
  });

  it('the docs say of each alert, and of no other, what to do; its link leads there', () => {
    const documented = [...read('docs/alerts.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    assert.deepEqual(
      documented,
      rules.map(({ alert }) => alert),
    );
    for (const { alert, annotations, labels } of rules) {
      assert.equal(annotations.runbook, `docs/alerts.md#${alert.toLowerCase()}`);
      assert.ok(['critical', 'warning', 'info'].includes(labels.severity));
      assert.ok(annotations.summary.length > 20);
    }
  });

  it('the operations that they name are those of the contracts', () => {
    for (const { where, expr } of asked) {
      for (const [, surface = '', operation = ''] of expr.matchAll(/surface="([^"]*)", operation="([^"]*)"/g)) {
        assert.match(read(`openapi/${surface}.yaml`), new RegExp(`operationId: ${operation}\\n`), where);
      }
    }
  });
});
