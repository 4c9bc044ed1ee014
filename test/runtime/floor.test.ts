import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareVersions, judgeNode, soundReleases } from '../../src/runtime/floor.ts';

test('a version below the lowest sound one is reported with reason and remedy', () => {
  for (const version of ['24.21.0', 'v24.21.0', '24.22.0', '24.22.1-rc.1', '24.0.0', '26.12.0', '26.10.0']) {
    const { state, reason, remedy } = judgeNode(version);
    assert.equal(state, 'degraded', version);
    assert.match(reason ?? '', /^below 2[46]\.\d+\.1 of 2026-10-21.*CVE-2026-111497 \(.*9\.8\) and 4 more$/);
    assert.match(remedy ?? '', /README/);
  }
});

test('the lowest sound version and all later ones of its line are sound', () => {
  for (const version of ['24.22.1', 'v24.22.1', '24.22.2', '24.30.0', '24.100.0', '26.12.1', '26.13.0']) {
    assert.deepEqual(judgeNode(version), {
      version: version.replace('v', ''),
      state: 'ok',
      reason: null,
      remedy: null,
    });
  }
});

test('a line without a version known to be sound is not sound', () => {
  for (const version of ['22.99.0', '25.9.0', '28.0.0', '20.20.2']) {
    assert.match(judgeNode(version).reason ?? '', /no version of this release line.*24\.22\.1 and 26\.12\.1/);
  }
});

test('every entry of the list is a release with a day and a reason', () => {
  for (const [major, { version, releasedOn, mended }] of Object.entries(soundReleases)) {
    assert.ok(version.startsWith(`${major}.`) && /^\d+\.\d+\.\d+$/.test(version));
    assert.match(releasedOn, /^20\d\d-\d\d-\d\d$/);
    assert.ok(mended.length > 0 && mended.every(({ id }) => /^CVE-\d{4}-\d{4,}$/.test(id)));
  }
});

test('versions compare by number, and a pre-release comes before its release', () => {
  const ordered = ['24.9.0', '24.10.0', '24.22.1-nightly2026', '24.22.1', '26.0.0'];
  for (const [at, version] of ordered.entries()) {
    for (const [other, second] of ordered.entries()) {
      assert.equal(Math.sign(compareVersions(version, `v${second}`)), Math.sign(at - other), `${version} ${second}`);
    }
  }
});
