import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { toldVersion } from '../../src/runtime/told-versions.ts';

describe('versions of programs', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-versions-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** What a program tells each time, and how often it was asked. */
  function stage(name: string) {
    const [file, kept] = [join(folder, name), join(folder, `${name}.json`)];
    let asked = 0;
    const tell = (version: string | null) =>
      toldVersion(
        file,
        () => {
          asked += 1;
          return version;
        },
        kept,
      );
    return { file, kept, tell, asked: () => asked };
  }

  it('a program is asked once, and again after its file has changed', () => {
    const { file, tell, asked } = stage('program');
    copyFileSync('/bin/sh', file);
    assert.deepEqual([tell('v24.1.0'), tell('v24.2.0'), asked()], ['v24.1.0', 'v24.1.0', 1]);
    utimesSync(file, 1, 1);
    assert.deepEqual([tell('v24.3.0'), tell('v24.4.0'), asked()], ['v24.3.0', 'v24.3.0', 2]);
  });

  it('a script is asked every time, and so is a program that told nothing', () => {
    const script = stage('script');
    writeFileSync(script.file, '#!/bin/sh\n');
    assert.deepEqual([script.tell('v1.0.0'), script.tell('v2.0.0')], ['v1.0.0', 'v2.0.0']);
    const silent = stage('silent');
    copyFileSync('/bin/sh', silent.file);
    assert.deepEqual([silent.tell(null), silent.tell('v1.0.0'), silent.asked()], [null, 'v1.0.0', 2]);
  });

  it('what was kept of other programs stays; a damaged file is replaced', () => {
    const { file, kept, tell } = stage('damaged');
    copyFileSync('/bin/sh', file);
    writeFileSync(kept, '{"/other": {"identity": "1", "version": "v1.0.0"}');
    assert.equal(tell('v24.1.0'), 'v24.1.0');
    writeFileSync(kept, '{"/other": {"identity": "1", "version": "v1.0.0"}}');
    assert.equal(tell('v24.1.0'), 'v24.1.0');
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(kept, 'utf8'))), ['/other', file]);
  });
});
