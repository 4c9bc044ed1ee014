import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { checkBaseline, compareWithRelease, findHasty } from '../../../scripts/contract/baseline.ts';
import { refusalOf } from '../../../scripts/contract/deprecation.ts';
import { draftChangelog } from '../../../scripts/contract/draft.ts';
import { keepRelease, lastRelease, writeVersion } from '../../../scripts/contract/releases.ts';

/** One operation, `removeOld`; `marks` are further members of it. */
const operation = (marks: object) => ({
  get: { operationId: 'readAll', responses: { 200: { description: 'All.' } } },
  delete: { operationId: 'removeOld', responses: { 204: { description: 'Gone.' } }, ...marks },
});
const contract = (item: object, version = '1.0.0') => ({
  openapi: '3.1.1',
  info: { title: 'A', version },
  paths: { '/a': item },
});

describe('the contracts of the last release', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'gatehouse-baseline-'));
    for (const folder of ['generated', 'openapi/released/1.0.0']) mkdirSync(join(root, folder), { recursive: true });
    note('nothing');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const write = (file: string, content: object) => writeFileSync(join(root, file), JSON.stringify(content));
  const release = (content: object, surface = 'a-2') => write(`openapi/released/1.0.0/${surface}.json`, content);
  const now = (content: object, surface = 'a-2') => write(`generated/${surface}.json`, content);
  const note = (line: string) =>
    writeFileSync(
      join(root, 'CHANGELOG.md'),
      `# Changelog\n\n## 1.1.0\n\n### b-2\n- Other: \`removeOld\`.\n\n### a-2, c-2\n- ${line}\n\n## 1.0.0\n\n### a-2\n- \`removeOld\`\n`,
    );
  const { delete: _, ...without } = operation({});

  test('the same contract passes, and so does one with something new', async () => {
    release(contract(operation({})));
    now(contract(operation({})));
    assert.deepEqual(await checkBaseline(root, '2027-06-01'), []);
    now(
      contract({ ...operation({}), put: { operationId: 'changeA', responses: { 200: { description: 'Changed.' } } } }),
    );
    assert.deepEqual(await checkBaseline(root, '2027-06-01'), []);
  });

  test('what a release takes away must have been deprecated, its date passed, and the CHANGELOG must name it', async () => {
    const removal = { rule: 'operation-removed', message: '', pointer: '#/paths/~1a/delete' };
    const refusal = (marks: object, notes: string) =>
      refusalOf(removal, contract(operation(marks)), notes, '2027-06-01');
    const named = 'Removed `removeOld`.';
    assert.equal(refusal({}, named), 'the last release does not mark it `deprecated`');
    assert.equal(refusal({ deprecated: true }, named), 'the last release gives no `x-sunset` for `removeOld`');
    const marks = { deprecated: true, 'x-sunset': '2027-06-01' };
    assert.equal(refusal(marks, named), 'the `x-sunset` of `removeOld` is 2027-06-01');
    const over = { ...marks, 'x-sunset': '2027-05-31' };
    assert.equal(refusal(over, 'Removed something.'), 'CHANGELOG.md does not name `removeOld`');
    assert.equal(refusal(over, named), undefined);

    release(contract(operation(over)));
    now(contract(without));
    const what = 'a-2: DELETE /a: Operation `DELETE /a` was removed. (operation-removed): ';
    // `b-2` and the release before have the name.
    assert.deepEqual(await checkBaseline(root, '2027-06-01'), [`${what}CHANGELOG.md does not name \`removeOld\``]);
    note(named);
    assert.deepEqual(await checkBaseline(root, '2027-06-01'), []);
  });

  test('to mark what is taken away at the same time does not help', async () => {
    release(contract(operation({})));
    now(contract({ ...without, 'x-removed': operation({ deprecated: true, 'x-sunset': '2020-01-01' }) }));
    note('Removed `removeOld`.');
    assert.equal((await checkBaseline(root, '2027-06-01')).length, 1);
  });

  test('a whole surface stays as well', async () => {
    release(contract(operation({})));
    release(contract(operation({})), 'b-2');
    now(contract(operation({})));
    assert.deepEqual(await checkBaseline(root, '2027-06-01'), [
      'b-2: the surface: The surface was removed. (surface-removed): the last release does not mark it `deprecated`',
    ]);
  });

  test('from 1.0.0 on there must be a baseline', async () => {
    rmSync(join(root, 'openapi/released'), { recursive: true });
    now(contract(operation({}), '0.9.0'));
    assert.deepEqual(await checkBaseline(root, '2027-06-01'), []);
    now(contract(operation({}), '1.0.0'));
    assert.deepEqual(await checkBaseline(root, '2027-06-01'), [
      'version 1.0.0 is released, and openapi/released has no contracts',
    ]);
  });

  test('a release announces no end within half a year; an announcement of before stays', () => {
    const marks = { deprecated: true, 'x-sunset': '2027-11-27' };
    release(contract(operation({})));
    now(contract(operation(marks)));
    assert.deepEqual(findHasty(root, '2027-06-01'), [
      'a-2: #/paths/~1a/delete: x-sunset 2027-11-27 is before 2027-11-28',
    ]);
    assert.deepEqual(findHasty(root, '2027-05-31'), []);
    release(contract(operation(marks)));
    assert.deepEqual(findHasty(root, '2027-06-01'), []);
  });

  test('the CHANGELOG is drafted by surface', async () => {
    release(contract(operation({})));
    now(contract({ ...without, put: { operationId: 'changeA', responses: { 200: { description: 'Changed.' } } } }));
    now(contract(operation({})), 'new-1');
    assert.equal(
      draftChangelog(await compareWithRelease(root, '2027-06-01')),
      '### a-2\n- **Breaking.** DELETE /a: Operation `DELETE /a` was removed.\n' +
        '- Added the operation PUT /a.\n\n### new-1\n- Added the surface.\n',
    );
  });

  test('a release keeps its contracts in place of those before, and writes its version everywhere', () => {
    mkdirSync(join(root, 'openapi/workflows'));
    for (const file of ['openapi/a-2.yaml', 'openapi/workflows/b.yaml']) {
      writeFileSync(join(root, file), 'info:\n  title: A\n  version: 0.1.0\nx:\n    version: 3\n');
    }
    write('openapi/redocly.yaml', {});
    const pack = { version: '0.1.0', license: 'A' };
    const lock = { ...pack, packages: { '': pack, 'node_modules/a': pack } };
    writeFileSync(join(root, 'package.json'), JSON.stringify(pack, null, 2));
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock, null, 2));
    writeVersion(root, '2.3.4');
    const read = (file: string) => readFileSync(join(root, file), 'utf8');
    assert.equal(read('openapi/workflows/b.yaml'), 'info:\n  title: A\n  version: 2.3.4\nx:\n    version: 3\n');
    const released = { ...pack, version: '2.3.4' };
    assert.deepEqual(JSON.parse(read('package.json')), released);
    assert.deepEqual(JSON.parse(read('package-lock.json')), {
      ...released,
      packages: { '': released, 'node_modules/a': pack },
    });

    release(contract(operation({})));
    now(contract(operation({})));
    keepRelease(root, '2.3.4', new Map([['a-2', join(root, 'generated/a-2.json')]]));
    assert.deepEqual([...(lastRelease(root)?.files.keys() ?? [])], ['a-2']);
    assert.equal(lastRelease(root)?.version, '2.3.4');
  });
});
