/** A1: attacks from behind a registry that is hostile, or serves what a stranger has published. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { PackageBuilder } from '../../src/domain/hooks/package-builds.ts';
import { bundlePackageProgram } from '../../src/programs/bundle.ts';
import { shutsIn } from '../support/host-walls.ts';
import { openPackageBuilder } from '../support/package-builder.ts';
import { sampled } from '../support/sample.ts';
import { buildHere } from './build-here.ts';
import { attacks } from './hostile/attacks.ts';
import { openSite, type Site, secretText } from './hostile/site.ts';

const victim = { victim: '1.0.0' };

describe('P5: hostile packages and the code that reads them', () => {
  let site: Site;
  before(async () => {
    site = await openSite();
  });
  after(() => site.close());

  it('there are at least sixty, each with a unique name', () => {
    assert.ok(attacks.length >= 60, `${attacks.length}`);
    assert.equal(new Set(attacks.map(({ name }) => name)).size, attacks.length);
  });

  for (const { name, put, ends, never } of attacks) {
    it(name, async () => {
      put(site);
      const result = await buildHere(site.registry.url, victim, site.parent);
      site.assertUntouched(name);
      assert.equal(result.ok ? 'built' : 'refused', ends ?? 'refused', result.ok ? '' : result.reason);
      if (!result.ok) return assert.doesNotMatch(result.reason, /CANARY|could not be/);
      assert.ok(!result.script.includes(secretText));
      if (never) assert.doesNotMatch(result.script, never);
    });
  }
});

// Without walls the attacks would reach this machine: test/hook-packages/hosts.test.ts tests what becomes of builds
// there.
const skip = !shutsIn && 'this host cannot shut a build in: packages are refused on it';
describe('P6: the same, with every check of names and paths disabled', { skip }, () => {
  let site: Site;
  let programs: { readonly fetch: string; readonly bundle: string };
  let folder: string;
  let builder: PackageBuilder;
  before(async () => {
    site = await openSite();
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-lenient-'));
    programs = { fetch: join(folder, 'fetch.mjs'), bundle: join(folder, 'bundle.mjs') };
    for (const part of ['fetch', 'bundle'] as const) {
      writeFileSync(programs[part], (await bundlePackageProgram(`test/hook-packages/hostile/lenient-${part}.ts`)).text);
    }
    builder = openPackageBuilder(site.registry.url, { parent: site.parent, programs, milliseconds: 20_000 });
  });
  after(async () => {
    await site.close();
    rmSync(folder, { recursive: true });
  });

  it('this system confines builds', async () => {
    assert.equal((await builder.walls()).state, 'confined');
  });

  for (const { name, put } of sampled(attacks, 8)) {
    it(name, async () => {
      put(site);
      const result = await builder.build(victim, async () => false);
      site.assertUntouched(name);
      if (result.ok) assert.ok(!result.script?.includes(secretText));
    });
  }
});
