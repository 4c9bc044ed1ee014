/** Pages of lists whose items are long. */

import assert from 'node:assert/strict';
import { ServerResponse } from 'node:http';
import { before, it, type TestContext } from 'node:test';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { type Management, managing } from './managing.ts';

const appCount = 80;
/** Of an app: 15 redirect URIs. */
const leastLength = 15 * 1990;

export function longPages(app: () => TestApp): void {
  let other: TestApp;
  let api: Management;
  before(async () => {
    other = await app().another({ 'limit.api-2': 'off' });
    api = await managing(other);
    for (let index = 0; index < appCount; index += 1) {
      const uris = Array.from({ length: 15 }, (_, place) => `https://a${place}.test/${'x'.repeat(2000 - 20)}`);
      const configuration = { redirect_uri: uris.join('\n'), oidc_application_type: 0, token_endpoint_auth_method: 0 };
      await api.done(200, 'POST', '/apps', { connector_id: 108419, name: unique('App'), configuration });
    }
  });

  /** How many apps are read at once, and how long the texts are that are handed over. */
  function watch(t: TestContext) {
    const { clients } = other.services.store;
    const { pageApps } = clients;
    const read: number[] = [];
    const written: number[] = [];
    t.mock.method(clients, 'pageApps', async (...asked: Parameters<typeof pageApps>) => {
      const page = await pageApps(...asked);
      read.push(page.items.length);
      return page;
    });
    for (const name of ['write', 'end'] as const) {
      const usual = ServerResponse.prototype[name] as (...given: unknown[]) => unknown;
      t.mock.method(ServerResponse.prototype, name, function (this: ServerResponse, ...given: unknown[]) {
        if (typeof given[0] === 'string' || Buffer.isBuffer(given[0])) written.push(given[0].length);
        return usual.apply(this, given);
      });
    }
    return { read, written };
  }

  async function inShortPages(query: string): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (let page = 1; page <= appCount / 10; page += 1) {
      answers.push(await api.call('GET', `/apps?limit=10&page=${page}${query}`));
    }
    return answers;
  }

  it('a long page has the text and the position of short ones, and is read and written in parts', async (t) => {
    for (const query of ['', '&sort=-name', '&sort=-id&fields=id,configuration']) {
      const short = await inShortPages(query);
      const { read, written } = watch(t);
      const long = await api.call('GET', `/apps?limit=1000${query}`);
      t.mock.restoreAll();
      assert.equal(long.status, 200);
      assert.equal(long.text, `[${short.map(({ text }) => text.slice(1, -1)).join(',')}]`);
      assert.ok(long.text.length > appCount * leastLength);
      const { 'page-items': items, 'total-count': total, 'total-pages': pages, 'content-type': type } = long.headers;
      assert.deepEqual(
        [items, total, pages, type],
        [`${appCount}`, `${appCount}`, '1', 'application/json; charset=utf-8'],
      );
      assert.deepEqual([long.headers['after-cursor'], long.headers['link']], [undefined, undefined]);
      assert.ok(Math.max(...read) <= 50, `${read}`);
      assert.ok(Math.max(...written) < 400_000, `${written}`);
    }
  });

  it('a page of short items is one text of a known length', async (t) => {
    const { written } = watch(t);
    const { text, headers, body } = await api.call('GET', '/apps?limit=1000&fields=id,name');
    assert.equal(body.length, appCount);
    assert.equal(headers['content-length'], String(text.length));
    assert.deepEqual(written, [text.length]);
  });

  it('one that fails midway is cut off', async (t) => {
    const { clients } = other.services.store;
    const usual = clients.pageApps;
    let reads = 0;
    t.mock.method(clients, 'pageApps', async (...asked: Parameters<typeof usual>) => {
      reads += 1;
      if (reads > 8) throw new Error('the store is gone');
      return usual(...asked);
    });
    await assert.rejects(api.call('GET', '/apps?limit=1000'));
    assert.equal(reads, 9, 'some of it was sent');
    t.mock.restoreAll();
    assert.equal((await api.call('GET', '/apps?limit=1000')).body.length, appCount);
  });
}
