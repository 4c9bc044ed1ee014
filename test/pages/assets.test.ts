import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Asset, assetCacheControl, assets, assetUrl } from '../../src/pages/assets.ts';
import { allPages, plainNames } from './samples.ts';

function asset(name: string): Asset {
  const found = assets.get(name);
  assert.ok(found, name);
  return found;
}

describe('assets', () => {
  it('hold every file that a page links to, under the digest of its content', () => {
    for (const [name, html] of allPages(plainNames)) {
      if (name === 'error-no-account') continue;
      const links = html.match(/\/assets\/[^"]+/g) ?? [];
      assert.ok(links.length >= 2);
      for (const link of links) {
        const url = new URL(link, 'https://demo.example.com');
        assert.equal(url.searchParams.get('v'), asset(url.pathname.slice('/assets/'.length)).digest);
      }
    }
  });

  it('are a closed list', () => {
    assert.deepEqual([...assets.keys()], ['styles.css', 'send-form.js', 'passkeys.js', 'icon.svg']);
    for (const name of ['../page.ts', 'constructor', '__proto__', 'STYLES.CSS', ''])
      assert.equal(assets.get(name), undefined);
  });

  it('are cached forever only under a URL with their digest', () => {
    const styles = asset('styles.css');
    assert.equal(assetCacheControl(styles, styles.digest), 'public, max-age=31536000, immutable');
    for (const version of [undefined, '', 'other']) assert.equal(assetCacheControl(styles, version), 'no-cache');
    assert.equal(assetUrl('styles.css'), `/assets/styles.css?v=${styles.digest}`);
  });

  it('load nothing from other hosts and contain no script or inline style', () => {
    assert.doesNotMatch(asset('styles.css').body.toString(), /url\(|@import|expression\(/i);
    assert.doesNotMatch(asset('icon.svg').body.toString(), /<script|<style|style=|\son[a-z]+=|href/i);
  });
});
