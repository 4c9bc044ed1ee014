import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import express from 'express';
import supertest from 'supertest';
import { parse } from 'yaml';
import { createApp } from '../../src/app.ts';
import { Failure } from '../../src/domain/failure.ts';
import { createDocs } from '../../src/http/docs.ts';
import { beginRequest } from '../../src/http/request-log.ts';
import { createMetrics } from '../../src/metrics/registry.ts';
import { requestReport } from '../../src/metrics/reports.ts';
import { guideGroups } from '../../src/pages/docs/guides.ts';
import { openTestApp, seenFrom, type TestApp } from '../support/app.ts';
import { isSampled } from '../support/sample.ts';

const namesIn = (folder: string, ending: string) =>
  readdirSync(new URL(`../../${folder}/`, import.meta.url))
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length));
const surfaces = namesIn('generated', '.json');
const workflows = namesIn('openapi/workflows', '.yaml');

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface WrittenOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
}

function operationsIn(contract: { readonly paths: Record<string, Record<string, unknown>> }): WrittenOperation[] {
  const members = Object.values(contract.paths).flatMap((item) => Object.values(item));
  return members.filter((member) => (member as Partial<WrittenOperation>).operationId) as WrittenOperation[];
}

/** Addresses of the same host that a page links to or loads, without fragments. */
function addressesIn(html: string): string[] {
  return [...html.matchAll(/\b(?:href|src)="([^"#]+)[^"]*"/g)].map(([, address = '']) => address);
}

describe('the documentation', () => {
  let app: TestApp;
  const get = (path: string, headers: Record<string, string> = {}) => app.send('GET', path, { headers });

  before(async () => {
    app = await openTestApp('sqlite');
  });
  after(() => app.dispose());

  test('the index lists every surface and every workflow, and its links resolve', async () => {
    const index = await get('/docs');
    assert.equal(index.status, 200);
    assert.equal(index.headers['content-type'], 'text/html; charset=utf-8');
    const addresses = addressesIn(index.text);
    for (const name of surfaces) {
      for (const path of [`/docs/${name}`, ...['.yaml', '.json', '-3.0.json'].map((end) => `/openapi/${name}${end}`)]) {
        assert.ok(addresses.includes(path), path);
      }
    }
    for (const name of ['gatehouse', 'postman']) assert.ok(addresses.includes(`/openapi/${name}.json`), name);
    for (const name of workflows) assert.ok(addresses.includes(`/openapi/workflows/${name}.yaml`), name);
    for (const address of new Set(addresses)) assert.equal((await get(address)).status, 200, address);
    assert.equal((await get('/docs/')).text, index.text);
  });

  test('it is the same for every account, except for the address of the account', async () => {
    const another = await app.another();
    for (const path of ['/docs', ...surfaces.map((name) => `/docs/${name}`)]) {
      const [here, there] = [await get(path), await another.send('GET', path)];
      assert.ok(here.text.includes(app.account.baseUrl) && !here.text.includes(another.account.baseUrl), path);
      assert.equal(there.text.replaceAll(another.account.baseUrl, app.account.baseUrl), here.text);
      assert.ok(!here.text.includes(app.account.name), path);
      assert.notEqual(there.headers['etag'], here.headers['etag']);
    }
  });

  test('the index begins with where to start and the main job, each workflow with its command for this account', async () => {
    const { text } = await get('/docs');
    const headings = [...text.matchAll(/<h2 [^>]*>([^<]*)/g)].map(([, heading]) => heading);
    const groups = guideGroups.slice(1).map(({ heading }) => heading);
    assert.deepEqual(headings, ['Start here', 'The main job', ...groups, 'Surfaces', 'More workflows']);
    assert.doesNotMatch(text, /\{base_url\}/);
    const commands = [...text.matchAll(/<pre [^>]*><code>([^<]*)<\/code>/g)].map(([, command = '']) => command);
    const written = workflows.map((name) => read(`openapi/workflows/${name}.yaml`));
    const ids = written.flatMap((file) => [...file.matchAll(/workflowId: (\w+)/g)].map(([, id]) => id));
    const shown = commands.map((command) => / --workflow (\w+) /.exec(command)?.[1]);
    assert.deepEqual(shown.toSorted(), ids.toSorted());
    for (const command of commands) {
      assert.ok(command.startsWith(`npx @redocly/cli@2 respect ${app.account.baseUrl}/openapi/workflows/`), command);
    }
  });

  test('every link to an operation, on the index and in the texts of the contracts, leads to one', async () => {
    const anchors = new Set<string>();
    const targets: string[] = [];
    for (const name of surfaces) {
      const { text, body } = await get(`/openapi/${name}.json`);
      for (const { operationId, tags } of operationsIn(body)) {
        anchors.add(`/docs/${name}#tag/${tags[0]?.replaceAll(' ', '-')}/operation/${operationId}`);
      }
      for (const [, page, anchor] of text.matchAll(/\]\((\/docs[\w/-]*)?(#[^)]*)\)/g)) {
        targets.push(`${page ?? `/docs/${name}`}${anchor}`);
      }
    }
    const index = await get('/docs');
    const onIndex = [...index.text.matchAll(/href="(\/docs\/[^"]*#[^"]*)"/g)].map(([, href = '']) => href);
    assert.ok(targets.length > 20 && onIndex.length > anchors.size);
    for (const target of [...targets, ...onIndex]) assert.ok(anchors.has(target), target);
  });

  test('every form that is made of the contracts is served, with the address of the account first', async () => {
    const forms = namesIn('generated/forms', '.json');
    assert.deepEqual(forms, [...surfaces.map((name) => `${name}-3.0`), 'gatehouse', 'postman'].toSorted());
    for (const form of forms) {
      const { status, headers, body } = await get(`/openapi/${form}.json`);
      assert.deepEqual([status, headers['content-type']], [200, 'application/json; charset=utf-8'], form);
      const { servers, ...made } = JSON.parse(read(`generated/forms/${form}.json`));
      const here = { url: app.account.baseUrl, description: 'This account.' };
      assert.deepEqual(body, servers ? { ...made, servers: [here, ...servers] } : made);
    }
  });

  for (const [index, name] of surfaces.entries()) {
    test(`${name} is served bundled, as JSON and as YAML, with the address of the account first`, async () => {
      const generated = JSON.parse(readFileSync(new URL(`../../generated/${name}.json`, import.meta.url), 'utf8'));
      const here = { url: app.account.baseUrl, description: 'This account.' };
      const json = await get(`/openapi/${name}.json`);
      assert.equal(json.headers['content-type'], 'application/json; charset=utf-8');
      assert.deepEqual(json.body, { ...generated, servers: [here, ...generated.servers] });
      const yaml = await get(`/openapi/${name}.yaml`);
      assert.equal(yaml.headers['content-type'], 'application/yaml; charset=utf-8');
      assert.deepEqual(parse(yaml.text), json.body);
      // Parsers of YAML 1.1 read more of the plain scalars as something else, and refuse tabs in them.
      if (isSampled(index, 3)) assert.deepEqual(parse(yaml.text, { version: '1.1' }), json.body);
      assert.doesNotMatch(yaml.text, /\t/);
      assert.doesNotMatch(yaml.text, /\$ref: ['"]?[^#'"]/);
    });

    test(`the page of ${name} loads files from this host only, and contains its contract with the address of the account first`, async () => {
      const { text, headers } = await get(`/docs/${name}`);
      const addresses = addressesIn(text);
      assert.ok(addresses.some((address) => address.startsWith('/docs/redoc.standalone.js?v=')));
      for (const address of new Set(addresses)) {
        assert.match(address, /^\//);
        assert.equal((await get(address)).status, 200, address);
      }
      const [, contract = ''] = /<script type="application\/json" id="contract">(.*?)<\/script>/s.exec(text) ?? [];
      assert.deepEqual(JSON.parse(contract), (await get(`/openapi/${name}.json`)).body);
      assert.doesNotMatch(text, /<script(?![^>]* (?:src=|type="application\/json"))/);
      assert.match(String(headers['content-security-policy']), /default-src 'none'; script-src 'self';/);
      assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|https?:/);
    });
  }

  for (const name of workflows) {
    test(`the workflows of ${name} are served as written, next to the contracts they name`, async () => {
      const path = `/openapi/workflows/${name}.yaml`;
      const { text, headers } = await get(path);
      assert.equal(text, readFileSync(new URL(`../../openapi/workflows/${name}.yaml`, import.meta.url), 'utf8'));
      assert.equal(headers['content-type'], 'application/yaml; charset=utf-8');
      for (const { url } of parse(text).sourceDescriptions) {
        assert.equal((await get(new URL(url, `http://host${path}`).pathname)).status, 200, url);
      }
    });
  }

  test('a URL with a content digest is cached forever, any other is revalidated', async () => {
    const [versioned = ''] = addressesIn((await get('/docs')).text).filter((address) => address.includes('?v='));
    const kept = await get(versioned);
    assert.equal(kept.headers['cache-control'], 'public, max-age=31536000, immutable');
    for (const address of [versioned.replace(/\?.*/, ''), `${versioned}0`, `${versioned}&v=1`, '/docs']) {
      const checked = await get(address);
      assert.equal(checked.headers['cache-control'], 'no-cache', address);
      const again = await get(address, { 'if-none-match': String(checked.headers['etag']) });
      assert.deepEqual([again.status, again.text, again.headers['etag']], [304, '', checked.headers['etag']]);
      assert.equal((await get(address, { 'if-none-match': '"other"' })).status, 200);
    }
  });

  test('HEAD answers as GET would, without the content', async () => {
    const got = await get('/docs/redoc.standalone.js');
    const { status, headers, text } = await app.send('HEAD', '/docs/redoc.standalone.js');
    assert.deepEqual([status, text], [200, '']);
    assert.equal(headers['content-length'], String(Buffer.byteLength(got.text)));
    assert.equal(headers['etag'], got.headers['etag']);
  });

  test('the Redoc bundle contacts no other host', async () => {
    const { text } = await get('/docs/redoc.standalone.js');
    const hosts = new Set([...text.matchAll(/["'`(]https?:\/\/([a-z0-9.-]+)/g)].map(([, host = '']) => host));
    // What is left is names of schemas and namespaces, examples, and links that a person may follow.
    assert.deepEqual(
      [...hosts].filter((host) => /cdn|font|unpkg|jsdelivr|analytics|redoc\.ly/.test(host)),
      [],
    );
  });

  test('the Redoc bundle names required scopes as alternatives', async () => {
    const { text } = await get('/docs/redoc.standalone.js');
    assert.ok(!text.includes('Required scopes'));
    assert.match(text, /\w\.length>1\?"Required scope, one of: ":"Required scope: "/);
  });

  test('the Redoc bundle includes the licences of its packages', async () => {
    const { text } = await get('/docs/redoc.standalone.js');
    const folder = new URL('../../node_modules/redoc/', import.meta.url);
    const files = readdirSync(new URL('bundles', folder)).filter((file) =>
      /(standalone|worker)\.js\.LICENSE/.test(file),
    );
    assert.equal(files.length, 2);
    for (const file of ['LICENSE', ...files.map((name) => `bundles/${name}`)]) {
      assert.ok(text.includes(readFileSync(new URL(file, folder), 'utf8').trim()), file);
    }
    assert.match(text.slice(0, 20_000), /The MIT License.*DOMPurify.*React.*lunr/s);
    assert.ok(!/For license information/.test(text));
  });

  test('names that are not listed do not exist', async () => {
    for (const path of [
      '/docs/nothing',
      '/docs/index.html',
      '/docs/start-redoc.ts',
      '/DOCS',
      '/openapi',
      '/openapi/redocly.yaml',
      '/openapi/shared/schemas.yaml',
      '/openapi/workflows/../../package.json',
      '/openapi/workflows/%2e%2e%2f%2e%2e%2fpackage.json',
      '/openapi/__proto__.json',
    ]) {
      assert.equal((await get(path)).status, 404, path);
    }
  });

  test('it is loaded for its own addresses only', async () => {
    const asked: string[] = [];
    const only = express().use(beginRequest(app.services, requestReport(createMetrics())));
    let path = '';
    const load = async () => {
      asked.push(path);
      return new Map();
    };
    only.use(createDocs(app.services, load, 'account'));
    const { send } = seenFrom(app.account, only, app.services, app);
    for (path of ['/', '/nothing', '/docsx', '/api/2/docs', '/docs', '/docs/', '/docs/start', '/openapi/api-2.json']) {
      assert.equal((await send('GET', path)).status, path === '/' ? 302 : 404, path);
    }
    assert.deepEqual(asked, ['/docs', '/docs/', '/docs/start', '/openapi/api-2.json']);
  });

  test('another method is 405, an unknown host 404, a malformed request 400', async () => {
    const posted = await app.send('POST', '/docs');
    assert.deepEqual([posted.status, posted.headers['allow']], [405, 'GET, HEAD']);
    assert.equal((await app.send('GET', '/docs', { host: 'unknown.example.com' })).status, 404);
    assert.equal((await app.send('GET', '/docs', { host: 'a@b' })).status, 400);
  });

  test('without the store it is 503, like everything else', async () => {
    const accounts = {
      ...app.services.store.accounts,
      findBySubdomain: () => Promise.reject(new Failure('unavailable')),
      findByHost: () => Promise.reject(new Failure('unavailable')),
    };
    const services = { ...app.services, store: { ...app.services.store, accounts } };
    const { status, headers } = await seenFrom(app.account, createApp(services), services, app).send('GET', '/docs');
    assert.deepEqual([status, headers['retry-after']], [503, '1']);
  });

  test('is loaded for its own paths alone', async () => {
    let loads = 0;
    const load = async () => {
      loads += 1;
      return new Map();
    };
    const server = express().use(
      beginRequest(app.services, requestReport(createMetrics())),
      createDocs(app.services, load, 'docs'),
    );
    server.use((_req, res) => void res.sendStatus(404));
    const statusOf = async (path: string) => {
      const answer = await supertest(server).get(path).set('host', new URL(app.account.baseUrl).host).redirects(0);
      return answer.status;
    };
    for (const path of ['/nothing', '/docsx', '/openapi.yaml']) assert.equal(await statusOf(path), 404);
    assert.equal(await statusOf('/'), 302);
    assert.equal(loads, 0);
    assert.equal(await statusOf('/docs/nothing'), 404);
    assert.equal(loads, 1);
  });
});
