import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type AppOf, settle } from './browsing.ts';
import { assertPage } from './headers.ts';

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

  it('browsers, password managers and robots find what they ask for without a link', async () => {
    const change = await app().send('GET', '/.well-known/change-password');
    assert.deepEqual([change.status, change.headers['location']], [303, '/account/password']);
    const icon = await app().send('GET', '/favicon.ico');
    assert.deepEqual([icon.status, icon.headers['content-type']], [200, 'image/svg+xml']);
    // A picture comes as bytes.
    assert.deepEqual(icon.body, (await app().send('GET', '/assets/icon.svg')).body);
    const robots = await app().send('GET', '/robots.txt');
    assert.deepEqual([robots.status, robots.headers['content-type']], [200, 'text/plain; charset=utf-8']);
    assert.equal(robots.text, 'User-agent: *\nDisallow: /\n');
    for (const { headers } of [icon, robots]) assert.equal(headers['cache-control'], 'public, max-age=86400');
    const methods = await app().send('POST', '/robots.txt');
    assert.deepEqual([methods.status, methods.headers['allow']], [405, 'GET']);
  });

  it('an address that nothing serves is a page for a browser, and JSON for a program', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const shown = await app().send('GET', '/nothing', { headers: { accept: browser } });
    assert.equal(shown.status, 404);
    assertPage(shown);
    assert.match(shown.text, /<h1>There is nothing here<\/h1>/);
    assert.ok(shown.text.includes(app().account.name));
    assert.ok(shown.text.includes(`<code>${shown.headers['x-request-id']}</code>`));
    assert.equal(shown.headers['vary'], 'accept');
    const foreign = await app().send('GET', '/nothing', {
      host: 'nobody.gatehouse.example',
      headers: { accept: browser },
    });
    assert.deepEqual([foreign.status, foreign.text.includes('<style>')], [404, true]);
    assert.ok(!foreign.text.includes(app().account.name));
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      const answer = await app().send('GET', '/nothing', { headers: { accept } });
      assert.deepEqual([answer.status, answer.body], [404, { error: 'not_found' }], accept);
    }
  });
}
