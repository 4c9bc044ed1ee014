/**
 * The list of mutants is true, and a run tells a dead one from a survivor. `npm run drill -- mutants` tries them all.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';
import { copyTree, replaceOnce, root, type TreeCopy, testFileOf } from './tree-copy.ts';

const sample: Mutant = {
  id: 'sample',
  rule: 'every address of one IPv6 network is one source',
  file: 'domain/network-source.ts',
  text: 'if (isIPv4(address)) return',
  becomes: 'if (isIPv4(address) && !address) return',
  killedBy: 'domain/network-source.test.ts',
};

describe('the list of mutants', () => {
  it('has at least 60, each with a unique id', () => {
    const ids = mutants.map(({ id }) => id);
    assert.ok(ids.length >= 60);
    assert.deepEqual(ids, [...new Set(ids)]);
  });

  it('changes existing code: each text occurs exactly once in its file', () => {
    for (const mutant of mutants) {
      const source = readFileSync(join(root, 'src', mutant.file), 'utf8');
      assert.notEqual(replaceOnce(source, mutant), source, mutant.id);
    }
    assert.throws(() => replaceOnce('one one', { text: 'one', becomes: 'two' }), /occurs 2 times/);
    assert.throws(() => replaceOnce('one', { text: 'two', becomes: 'one' }), /occurs 0 times/);
  });

  it('names existing tests', () => {
    for (const killer of new Set(mutants.map(({ killedBy }) => killedBy))) assert.ok(testFileOf(killer), killer);
    assert.throws(() => testFileOf('mutants/mutant.ts'), /declares no tests/);
  });
});

describe('a copy of the tree', () => {
  let copy: TreeCopy;
  before(async () => {
    copy = await copyTree();
  });
  after(() => copy.dispose());

  it('distinguishes a killed mutant, a surviving one, and one that no test judged', async () => {
    const before = readFileSync(join(root, 'src', sample.file), 'utf8');
    const dead = await copy.try(sample);
    assert.ok(dead.failed !== null && dead.because !== '', JSON.stringify(dead));
    const survivor = await copy.try({ ...sample, becomes: `${sample.text} ` });
    assert.ok(survivor.failed === null && survivor.passed > 0 && survivor.broken === null, JSON.stringify(survivor));
    const broken = await copy.try({ ...sample, becomes: '(' });
    assert.ok(broken.failed === null && broken.broken !== null, JSON.stringify(broken));
    assert.equal(readFileSync(join(root, 'src', sample.file), 'utf8'), before);
  });

  it('runs the tests of a surface: the mutant that takes a user name for an e-mail address is killed', async () => {
    const mutant = mutants.find(({ id }) => id === 'delegated-email');
    const trial = mutant && (await copy.try(mutant));
    assert.match(trial?.failed ?? '', /e-mail address/);
  });
});
