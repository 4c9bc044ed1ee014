import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { build } from 'esbuild';
import express from 'express';
import { createApp } from '../../src/app.ts';
import { Failure } from '../../src/domain/failure.ts';
import { createConsole } from '../../src/http/console.ts';
import { beginRequest } from '../../src/http/request-log.ts';
import { createMetrics } from '../../src/metrics/registry.ts';
import { requestReport } from '../../src/metrics/reports.ts';
import { consoleFolder, consoleSources } from '../../src/programs/console-files.ts';
import { root } from '../../src/runtime/installation.ts';
import { openTestApp, seenFrom, type TestApp } from '../support/app.ts';

const mostOfFirstScreen = 150_000;
const mostOfEditor = 350_000;

describe('the console', () => {
  let app: TestApp;
  let folder: string;
  let page: string;
  const get = (path: string, headers: Record<string, string> = {}) => app.send('GET', path, { headers });
  const plain = { 'accept-encoding': 'identity' };
  /** The files that the page loads. */
  const loaded = () => [...page.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

  before(async () => {
    app = await openTestApp('sqlite');
    folder = await consoleFolder();
    page = (await get('/console', plain)).text;
  });
  after(() => app.dispose());

  test('has one page for every path, which is revalidated and allows files of this host alone', async () => {
    for (const path of ['/console', '/console/', '/console/users', '/console/users/1?q=x', '/console/no/such/screen']) {
      const { status, headers, text } = await get(path, plain);
      assert.deepEqual([status, headers['content-type'], text], [200, 'text/html; charset=utf-8', page], path);
      assert.equal(headers['cache-control'], 'no-cache');
      assert.equal(
        headers['content-security-policy'],
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
          "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
      );
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
      assert.equal(headers['vary'], 'accept-encoding');
    }
    assert.doesNotMatch(page, /<style|<script(?![^>]* src=)|\son\w+=|\sstyle=/);
  });

  test('its files are named by their content, and kept for ever', async () => {
    assert.equal(loaded().length, 3);
    for (const path of loaded()) {
      const { status, headers, text } = await get(path, plain);
      assert.equal(status, 200, path);
      assert.match(path, /-[A-Za-z0-9]{8}\.(?:js|css|txt)$/);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(text, readFileSync(join(folder, path.split('/').at(-1) ?? ''), 'utf8'));
    }
  });

  test('answers compressed to those who ask, each form with its own tag', async () => {
    for (const path of ['/console', ...loaded()]) {
      const name = path === '/console' ? 'index.html' : (path.split('/').at(-1) ?? '');
      const tags = new Set<unknown>();
      for (const [asked, coding] of [
        ['gzip, deflate, br, zstd', 'br'],
        ['gzip', 'gzip'],
        ['br;q=0, gzip', 'gzip'],
        ['identity', undefined],
        ['deflate', undefined],
      ] as const) {
        const { headers } = await app.send('HEAD', path, { headers: { 'accept-encoding': asked } });
        assert.equal(headers['content-encoding'], coding, asked);
        const ending = coding === undefined ? '' : { br: '.br', gzip: '.gz' }[coding];
        assert.equal(headers['content-length'], String(readFileSync(join(folder, `${name}${ending}`)).length));
        tags.add(headers['etag']);
        const again = { 'accept-encoding': asked, 'if-none-match': String(headers['etag']) };
        assert.equal((await get(path, again)).status, 304);
      }
      assert.equal(tags.size, 3);
      const original = readFileSync(join(folder, name));
      assert.deepEqual(brotliDecompressSync(readFileSync(join(folder, `${name}.br`))), original);
      assert.deepEqual(gunzipSync(readFileSync(join(folder, `${name}.gz`))), original);
    }
  });

  test('its first screen is small', () => {
    const names = loaded().filter((path) => !path.endsWith('.txt'));
    const sizes = names.map((path) => readFileSync(join(folder, `${path.split('/').at(-1)}.gz`)).length);
    const sum = sizes.reduce((one, other) => one + other, 0);
    assert.ok(sum > 10_000 && sum <= mostOfFirstScreen, `${sum} bytes`);
  });

  test('the editor is loaded when a function is opened alone, and is small enough', () => {
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
    const [editor, ...others] = scripts.filter((name) => read(name).includes('cm-content'));
    assert.ok(editor !== undefined && others.length === 0, 'one part has the editor');
    const first = loaded().find((path) => path.endsWith('.js')) ?? '';
    assert.match(read(first.split('/').at(-1) ?? ''), new RegExp(`import\\("\\./${editor}"\\)`));
    // What the first screen loads with its script, it imports statically.
    const statically = (name: string): string[] => {
      const found = [...read(name).matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)].map(([, one = '']) => one);
      return [name, ...found.flatMap(statically)];
    };
    const atFirst = new Set(statically(first.split('/').at(-1) ?? ''));
    assert.ok(!atFirst.has(editor));
    const sizeOf = (names: Iterable<string>) =>
      [...names].reduce((sum, name) => sum + readFileSync(join(folder, `${name}.gz`)).length, 0);
    const withEditor = new Set(statically(editor).filter((name) => !atFirst.has(name)));
    assert.ok(sizeOf(atFirst) <= mostOfFirstScreen, `${sizeOf(atFirst)} bytes`);
    assert.ok(sizeOf(withEditor) > 50_000 && sizeOf(withEditor) <= mostOfEditor, `${sizeOf(withEditor)} bytes`);
  });

  test('names the licences of its packages', async () => {
    const notices = loaded().find((path) => path.endsWith('.txt'));
    const { text, headers } = await get(String(notices), plain);
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
    const licence = readFileSync(join(root, 'node_modules/preact/LICENSE'), 'utf8').trim();
    assert.ok(text.includes('\npreact ') && text.includes(licence));
  });

  test('is built from the sources that its folder is a digest of, and from packages', async () => {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: ['src/console/main.tsx'],
      bundle: true,
      write: false,
      metafile: true,
      jsx: 'automatic',
      jsxImportSource: 'preact',
      tsconfigRaw: {},
    });
    const folders = ['node_modules', ...consoleSources];
    const others = Object.keys(metafile.inputs).filter((path) => !folders.some((one) => path.startsWith(`${one}/`)));
    assert.deepEqual(others, []);
  });

  test('asks no other host', () => {
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.js'))) {
      const hosts = readFileSync(join(folder, name), 'utf8').match(/https?:\/\/[a-z0-9.-]+/g) ?? [];
      // Namespaces are names, and hints name an example.
      assert.deepEqual(
        hosts.filter((host) => !['http://www.w3.org', 'https://api.example.com'].includes(host)),
        [],
      );
    }
  });

  test('names that are not listed do not exist', async () => {
    for (const path of [
      '/console/assets/index.html',
      '/console/assets',
      '/console/assets/',
      '/console/assets/nothing.js',
      `${loaded()[0]}.br`,
      '/console/assets/..%2f..%2fpackage.json',
      '/console/assets/__proto__',
      '/consoles',
      '/Console',
    ]) {
      assert.equal((await get(path)).status, 404, path);
    }
  });

  test('another method is 405, an unknown host 404, a malformed request 400', async () => {
    const posted = await app.send('POST', '/console');
    assert.deepEqual([posted.status, posted.headers['allow']], [405, 'GET, HEAD']);
    assert.equal((await app.send('GET', '/console', { host: 'unknown.example.com' })).status, 404);
    assert.equal((await app.send('GET', '/console', { host: 'a@b' })).status, 400);
  });

  test('is made for its own addresses alone, and again where that failed', async () => {
    let asked = 0;
    const only = express().use(beginRequest(app.services, requestReport(createMetrics())));
    const fails = () => {
      asked += 1;
      return asked === 1 ? Promise.reject(new Error('the disk is full')) : consoleFolder();
    };
    only.use(createConsole(app.services, fails));
    only.use(((_error, _req, res, _next) => void res.sendStatus(500)) satisfies express.ErrorRequestHandler);
    const { send } = seenFrom(app.account, only, app.services, app);
    for (const path of ['/', '/docs', '/consoles']) assert.equal((await send('GET', path)).status, 404);
    assert.equal(asked, 0);
    const statuses = [await send('GET', '/console'), await send('GET', '/console'), await send('GET', '/console')];
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [500, 200, 200],
    );
    assert.equal(asked, 2);
  });

  test('without the store it is 503, like everything else', async () => {
    const accounts = {
      ...app.services.store.accounts,
      findBySubdomain: () => Promise.reject(new Failure('unavailable')),
      findByHost: () => Promise.reject(new Failure('unavailable')),
    };
    const services = { ...app.services, store: { ...app.services.store, accounts } };
    const { status, headers } = await seenFrom(app.account, createApp(services), services, app).send('GET', '/console');
    assert.deepEqual([status, headers['retry-after']], [503, '1']);
  });
});
