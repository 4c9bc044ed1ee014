import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isPackageName,
  isPackageVersion,
  readPackageDependency,
  readPackageRange,
} from '../../../src/domain/hooks/package-grammar.ts';

describe('P5: names of packages', () => {
  it('valid names are accepted', () => {
    for (const name of ['a', 'lodash.get', '@scope/a', 'JSONStream', 'x.tgz', 'a-b_c~d', '-', 'constructor']) {
      assert.ok(isPackageName(name), name);
    }
  });

  it('exact versions are accepted', () => {
    const good = ['0.0.0', '1.2.3', '1.0.0-rc.1', '0.0.0-experimental-2bc7d336a-20250205'];
    for (const version of good) assert.ok(isPackageVersion(version), version);
    for (const version of ['1', 'v1.0.0', '1.0.0+x', '01.0.0', ' 1.0.0', '1.0.0\n', '1.0.0-01', null]) {
      assert.ok(!isPackageVersion(version), String(version));
    }
  });

  it('ranges that occur in published packages are accepted', () => {
    const good = [
      '',
      '*',
      'x',
      '1',
      '1.x',
      '~1.2',
      '~> 1.2',
      '^1.2.3',
      '>=1.0.0 <2',
      '>= 1.0.0 < 2.0.0-0',
      '1.2.3 - 2',
    ];
    const more = [
      '^14.18.0 || ^16.14.0 || >=18',
      '1||2',
      'v1.2.3',
      '=1.2.3',
      '^1.0.0-rc.1',
      ' 1.0.0 ',
      '>1  <=2  || 1  -  2',
    ];
    for (const range of [...good, ...more]) assert.equal(readPackageRange(range), range);
    assert.equal(readPackageRange('latest'), '*');
    for (const range of ['next', '^', '1.0.0,2.0.0', '1 -2', '1\t2', '|1', '^1.0.0 latest']) {
      assert.equal(readPackageRange(range), null, range);
    }
  });

  it('a range whose comparators have two readings each is judged at once', () => {
    const several = Array.from({ length: 80 }, () => '=1').join(' ');
    assert.equal(readPackageRange(several), several);
    assert.equal(readPackageRange(`${several} !`), null);
  });

  it('an alias is a name and a range', () => {
    const read = (range: string) => readPackageDependency('here', range);
    assert.deepEqual(read('npm:string-width@^4.2.0'), { place: 'here', name: 'string-width', range: '^4.2.0' });
    assert.deepEqual(read('npm:@scope/a@1'), { place: 'here', name: '@scope/a', range: '1' });
    assert.deepEqual(read('npm:a'), { place: 'here', name: 'a', range: '*' });
    for (const range of ['npm:', 'npm:a@b@1', 'npm:@scope@1', 'npm:a@next', 'NPM:a@1']) assert.equal(read(range), null);
  });
});
