import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type Comparison, compareFiles } from '../../../scripts/contract/compare.ts';
import { tellPlace } from '../../../scripts/contract/deprecation.ts';
import { sampled } from '../../support/sample.ts';
import { breaking } from './breaking.ts';
import { harmless } from './harmless.ts';
import { Draft, type Planted } from './plant.ts';

const contract = (surface: string) => new URL(`../../../generated/${surface}.json`, import.meta.url).pathname;

describe('changes of a contract', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-changes-'));
  after(() => rmSync(folder, { recursive: true }));

  /** The surface against a copy with all these changes. */
  async function compare(surface: string, planted: readonly Planted[]): Promise<Comparison> {
    const draft = new Draft(readFileSync(contract(surface), 'utf8'));
    for (const { plant } of planted) plant(draft);
    const file = join(folder, `${surface}.json`);
    writeFileSync(file, JSON.stringify(draft.document, null, 1));
    return compareFiles(contract(surface), file);
  }

  const surfacesOf = (all: readonly Planted[]) => [...new Set(all.map(({ surface }) => surface))];

  test('at least thirty of each kind are planted, on four surfaces and more', () => {
    for (const all of [breaking, harmless]) {
      assert.ok(all.length >= 30 && surfacesOf(all).length >= 4);
      assert.equal(new Set(all.map(({ what }) => what)).size, all.length);
    }
  });

  for (const surface of sampled(surfacesOf(breaking), 6)) {
    test(`${surface}: each planted change that breaks a client is found, by its rule and at its place`, async () => {
      const planted = breaking.filter((one) => one.surface === surface);
      const { breaks } = await compare(surface, planted);
      const lines = breaks.map(({ rule, pointer, message }) => `${rule} | ${tellPlace(pointer)}: ${message}`);
      const found = planted.map(({ rule, told }) =>
        lines.filter((line) => line.startsWith(`${rule} | `) && told.test(line.slice(rule.length + 3))),
      );
      for (const [index, { what }] of planted.entries()) {
        assert.notEqual(found[index]?.length, 0, `${what}\n${lines.join('\n')}`);
      }
      // No two of them are seen by the same line alone.
      assert.ok(new Set(found.map(([line]) => line)).size === planted.length, lines.join('\n'));
    });
  }

  for (const surface of sampled(surfacesOf(harmless), 6, 1)) {
    test(`${surface}: no harmless change is taken for one that breaks a client`, async () => {
      const planted = harmless.filter((one) => one.surface === surface);
      const { breaks } = await compare(surface, planted);
      assert.deepEqual(breaks, []);
    });
  }
});
