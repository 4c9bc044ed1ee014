/** How the judges of the contracts are asked, and the table that is made of what they say. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Judge } from '../../scripts/sdk/judge.ts';
import { judges } from '../../scripts/sdk/judges.ts';
import { faultsOf } from '../../scripts/sdk/rules.ts';
import { rowsOf, tableOf, withExceptions, withRows } from '../../scripts/sdk/table.ts';
import { versionIn } from '../../scripts/sdk/tools.ts';
import { askJudge } from '../../scripts/sdk/verdict.ts';

const surfaces = ['auth-2', 'oidc-2', 'oauth2', 'api-2'];

describe('a judge', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sdk-'));
  after(() => rmSync(folder, { recursive: true }));

  const contracts = surfaces.map((surface) => ({ surface, yaml: `${surface}.yaml`, json: `${surface}.json` }));
  const asked = (judge: Partial<Judge>) => {
    const whole = { language: 'go', tool: 'made', version: '1.2.3', needs: [], stages: [], ...judge };
    return askJudge(whole, { contracts, env: {} }, folder);
  };
  const failsAt =
    (failing: string) =>
    async ({ surface }: { surface: string }) => {
      if (surface === failing) throw new Error(`cannot: ${surface}`);
    };

  it('says how far it got with each contract, and does the main job after that', async () => {
    const done: string[] = [];
    const { row, faults, missing } = await asked({
      stages: [
        { word: 'generated', run: async () => {} },
        { word: 'compiled', run: async ({ surface }) => void done.push(surface) },
      ],
      job: async () => void done.push('job'),
    });
    assert.deepEqual(row, { language: 'go', tool: 'made 1.2.3', cells: surfaces.map(() => 'compiled'), job: 'done' });
    assert.deepEqual([faults, missing, done], [[], [], [...surfaces, 'job']]);
  });

  it('names what it could not do, goes on with the next contract, and leaves the main job out', async () => {
    const done: string[] = [];
    const { row, faults } = await asked({
      stages: [
        { word: 'generated', run: failsAt('oidc-2') },
        { word: 'compiled', run: failsAt('oauth2') },
      ],
      job: async () => void done.push('job'),
    });
    assert.deepEqual(row.cells, ['compiled', '**not generated**', '**not compiled**', 'compiled']);
    assert.equal(row.job, '**not run**');
    assert.deepEqual(done, []);
    assert.deepEqual(faults, ['made 1.2.3, oidc-2: cannot: oidc-2', 'made 1.2.3, oauth2: cannot: oauth2']);
  });

  it('fails when the main job does', async () => {
    const { row, faults } = await asked({
      stages: [{ word: 'compiled', run: async () => {} }],
      job: () => Promise.reject(new Error('refused')),
    });
    assert.equal(row.job, '**not done**');
    assert.deepEqual(faults, ['made 1.2.3, the main job: refused']);
  });

  it('may fail by a known fault of its own, and no longer when that is mended', async () => {
    const stages = [{ word: 'compiled', run: failsAt('oidc-2') }] as const;
    const known = await asked({ stages, ownFaults: { 'oidc-2': 'It is known.' } });
    assert.deepEqual(known.row.cells, ['compiled', '**not compiled**', 'compiled', 'compiled']);
    assert.deepEqual(known.faults, []);
    const mended = await asked({ stages, ownFaults: { 'oidc-2': 'It is known.', oauth2: 'It was.' } });
    assert.deepEqual(mended.faults, ['made 1.2.3, oauth2: it does not fail any more; take it out of `ownFaults`']);
  });

  it('is not run without its toolchain, which is named', async () => {
    const { row, faults, missing } = await asked({
      needs: ['node', 'no-such-compiler'],
      stages: [{ word: 'compiled', run: async () => assert.fail('it ran') }],
      job: async () => assert.fail('it ran'),
    });
    assert.deepEqual(
      row.cells,
      surfaces.map(() => 'not run'),
    );
    assert.equal(row.job, '`no-such-compiler` not found');
    assert.deepEqual([faults, missing], [[], ['no-such-compiler']]);
  });
});

describe('the table of judges', () => {
  const row = (tool: string, cell: string, language = 'go') => ({
    language,
    tool,
    cells: surfaces.map(() => cell),
    job: '–',
  });
  const page = (table: string) => `# Page\n\n<!-- sdks -->\n${table}<!-- /sdks -->\n\nMore.\n`;
  const former = [row('one 1.0', 'compiled'), row('two x 1.0', 'compiled'), row('one 1.0', 'read', 'yaml')];

  it('is read as it was written', () => {
    assert.deepEqual(rowsOf(tableOf(former)), former);
  });

  it('has the new rows in the places of the former ones, by language and tool, and keeps the others', () => {
    const fresh = [row('two x 2.0', '**not compiled**'), row('three 1.0', 'compiled')];
    const expected = [former[0], fresh[0], former[2], fresh[1]].flatMap((one) => one ?? []);
    assert.equal(withRows(page(tableOf(former)), fresh), page(tableOf(expected)));
    assert.throws(() => withRows('# Page\n', fresh), /<!-- sdks -->/);
  });
});

describe('rules of others', () => {
  const finding = (rule: string, ...path: string[]) => ({ rule, message: 'is wrong', path });
  const contract = { paths: { '/a': { kept: true }, '/b': { kept: false } } };
  const isKept = (found: unknown) => (found as { kept: boolean }).kept;
  const exceptions = [
    { rule: 'whole', surfaces: ['oauth2'], reason: 'It is known.' },
    { rule: 'part', surfaces: ['oauth2'], reason: 'It is known.', excuses: isKept },
  ];

  it('fail on what has no exception on that surface, or is not the part that is excused', () => {
    const findings = [finding('whole', 'info'), finding('part', 'paths', '/a'), finding('part', 'paths', '/b')];
    assert.deepEqual(faultsOf(findings, exceptions, 'oauth2', contract), ['paths//b: is wrong (part)']);
    assert.deepEqual(faultsOf([finding('whole', 'info')], exceptions, 'api-2', contract), ['info: is wrong (whole)']);
  });

  it('fail on an exception that excuses nothing any more', () => {
    const expected = ['part excuses nothing any more; take it out of the exceptions'];
    assert.deepEqual(faultsOf([finding('whole', 'info')], exceptions, 'oauth2', contract), expected);
  });

  it('have their exceptions on the page', () => {
    const page = readFileSync(new URL('../../docs/sdks.md', import.meta.url), 'utf8');
    assert.match(page, /\| Spectral \| `info-contact` \|/);
    assert.equal(withExceptions(page), page);
  });
});

describe('the pins', () => {
  it('name the version behind a name, and only a whole one', () => {
    assert.equal(versionIn('a==1.0\nPyYAML==6.0.3\n', 'PyYAML=='), '6.0.3');
    assert.equal(versionIn('require example.com/x/v2 v2.8.2 // indirect', 'example.com/x/v2 v'), '2.8.2');
    assert.throws(() => versionIn('"orval": "^8.0.0"', '"orval": "'), /no version is pinned/);
    assert.throws(() => versionIn('', 'PyYAML=='), /no version is pinned/);
  });

  it('give every judge a version, and each its own place in the table', () => {
    for (const { tool, version } of judges) assert.match(version, /^\d+\.\d+/, tool);
    const places = judges.map(({ language, tool }) => `${language} ${tool}`);
    assert.equal(new Set(places).size, places.length);
  });
});
