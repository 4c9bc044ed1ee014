import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type AppOf, settle } from './browsing.ts';

const types = {
  'styles.css': 'text/css; charset=utf-8',
  'send-form.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'passkeys.js': 'text/javascript; charset=utf-8',
} as const;

/** Style sheet, icon and script: kept forever under the address that names their content (RFC 8246). */
export function assets(app: AppOf): void {
  it('every page links to existing files that are cached forever', async () => {
    const { answer } = await (await settle(app())).begin();
    const links = [...answer.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, link = '']) => link);
    assert.ok(links.length >= 3);
    for (const link of new Set(links)) {
      const file = await app().send('GET', link);
      const name = /^\/assets\/([^?]+)/.exec(link)?.[1] as keyof typeof types;
      assert.equal(file.status, 200, link);
      assert.equal(file.headers['content-type'], types[name]);
      assert.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(file.headers['x-content-type-options'], 'nosniff');
      assert.ok(file.text.length > 100);
    }
  });

  it("without the content's digest, or with an old one, a file is not cached", async () => {
    for (const name of Object.keys(types)) {
      for (const query of ['', '?v=', '?v=0000000000000000', '?v=x&w=1']) {
        const file = await app().send('GET', `/assets/${name}${query}`);
        assert.deepEqual([file.status, file.headers['cache-control']], [200, 'no-cache'], name + query);
      }
      const head = await app().send('HEAD', `/assets/${name}`);
      assert.deepEqual([head.status, head.text], [200, '']);
      assert.equal((await app().send('GET', `/assets/${name}?v=1&v=2`)).status, 400);
    }
  });

  it('nothing else is served: no other name, and no path outside the folder', async () => {
    const names = [
      'none.css',
      'Styles.css',
      'styles.css.map',
      '..%2f..%2fpackage.json',
      '%2e%2e',
      'styles.css%00',
      '__proto__',
      'constructor',
    ];
    for (const name of [...names, '../src/main.ts', 'x'.repeat(64), 'styles/base.css']) {
      const answer = await app().send('GET', `/assets/${name}`);
      assert.ok([400, 404].includes(answer.status), `${name} ${answer.status}`);
    }
  });
}
