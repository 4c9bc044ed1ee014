import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { registryOfNpm } from '../../src/adapters/npm-configuration.ts';

test('the registry comes from the nearest .npmrc, else it is the public one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-npmrc-'));
  try {
    assert.equal(registryOfNpm([folder]), 'https://registry.npmjs.org/');
    writeFileSync(join(folder, '.npmrc'), 'fund=false\n registry = "https://npm.example.com/a/" ; ours\n');
    assert.equal(registryOfNpm([join(folder, 'nowhere'), folder]), 'https://npm.example.com/a/');
    writeFileSync(join(folder, '.npmrc'), '@scope:registry=https://other.example.com\nregistry=file:///etc\n');
    assert.equal(registryOfNpm([folder]), 'https://registry.npmjs.org/');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
