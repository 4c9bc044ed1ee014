/** What every list has in common: pages, cursors, order, fields, headers. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { assertRefused, type Management, managing, newUser } from './managing.ts';

const listPaths = ['/users', '/users/custom_attributes', '/users/{user}/apps'];

export function lists(app: () => TestApp): void {
  /** A new account with this many users, and the ids in order. */
  async function crowd(count: number): Promise<{ api: Management; ids: number[]; base: string }> {
    const other = await app().another({ 'limit.api-2': 'off' });
    const api = await managing(other);
    const ids: number[] = [];
    for (let index = 0; index < count; index += 1) {
      ids.push((await newUser(api, { lastname: `L${index % 3}`, firstname: `F${index}` })).id);
    }
    return { api, ids, base: other.account.baseUrl };
  }

  const header = ({ headers }: Answer, name: string) => headers[name] as string | undefined;
  const idsOf = ({ body }: Answer) => body.map(({ id }: { id: number }) => id);

  /** Follows a header to the end. */
  async function follow(api: Management, first: string, name: 'after-cursor' | 'before-cursor') {
    const answers = [await api.call('GET', first)];
    for (let turn = 0; turn < 20; turn += 1) {
      const cursor = header(answers.at(-1) as Answer, name);
      if (cursor === undefined) break;
      answers.push(await api.call('GET', `/users?cursor=${cursor}`));
    }
    return answers;
  }

  it('numbers pages, with exact totals, links and cursors', async () => {
    const { api, ids, base } = await crowd(5);
    const seen = await api.call('GET', '/users?limit=2&page=2&sort=-id&lastname=L*');
    assert.deepEqual(idsOf(seen), [ids[2], ids[1]]);
    for (const [name, value] of [
      ['current-page', '2'],
      ['page-items', '2'],
      ['total-count', '5'],
      ['total-pages', '3'],
    ] as const) {
      assert.equal(header(seen, name), value, name);
    }
    const links = [...String(header(seen, 'link')).matchAll(/<([^>]+)>; rel="(\w+)"/g)];
    assert.deepEqual(
      links.map(([, url = '', rel]) => {
        const { origin, pathname, searchParams } = new URL(url);
        const { page, limit, sort, lastname } = Object.fromEntries(searchParams);
        return [origin + pathname, rel, page, limit, sort, lastname];
      }),
      [
        ['first', '1'],
        ['prev', '1'],
        ['next', '3'],
        ['last', '3'],
      ].map(([rel, page]) => [`${base}/api/2/users`, rel, page, '2', '-id', 'L*']),
    );
    const next = await api.call('GET', `/users${new URL(links[2]?.[1] ?? '').search}`);
    assert.deepEqual(idsOf(next), [ids[0]]);
    assert.equal(header(next, 'after-cursor'), undefined);
    assert.equal(header(await api.call('GET', '/users'), 'link'), undefined);
  });

  it('following cursors gives no totals and keeps limit, order, filters and fields', async () => {
    const { api, ids } = await crowd(7);
    const wanted = [6, 3, 0, 4, 1].map((index) => ids[index]);
    const answers = await follow(
      api,
      '/users?limit=2&sort=lastname&fields=id&created_since=2000-01-01',
      'after-cursor',
    );
    const all = answers.flatMap(idsOf);
    assert.deepEqual(new Set(all.slice(0, 3)), new Set(wanted.slice(0, 3)));
    assert.equal(new Set(all).size, 7);
    assert.deepEqual(
      answers.map(({ body }) => body.length),
      [2, 2, 2, 1],
    );
    for (const answer of answers) for (const item of answer.body) assert.deepEqual(Object.keys(item), ['id']);
    for (const answer of answers.slice(1)) {
      for (const name of ['current-page', 'total-count', 'total-pages']) assert.equal(header(answer, name), undefined);
      assert.match(String(header(answer, 'link')), /rel="prev"/);
    }
    assert.equal(header(answers[0] as Answer, 'before-cursor'), undefined);
    const back = [answers.at(-1) as Answer];
    for (let turn = 0; turn < 9; turn += 1) {
      const cursor = header(back.at(-1) as Answer, 'before-cursor');
      if (cursor === undefined) break;
      back.push(await api.call('GET', `/users?cursor=${cursor}`));
    }
    assert.deepEqual(back.reverse().flatMap(idsOf), all);
  });

  it('accepts the bare token of a cursor, and refuses cursors of another list (I6)', async () => {
    const { api, ids } = await crowd(3);
    const first = await api.call('GET', '/users?limit=1');
    const cursor = String(header(first, 'after-cursor'));
    assert.match(cursor, /^[A-Za-z0-9]+$/);
    const [, token] = /^cursor=(\w+)$/.exec(Buffer.from(cursor, 'base64').toString()) ?? [];
    assert.deepEqual(idsOf(await api.call('GET', `/users?cursor=${token}`)), [ids[1]]);
    const elsewhere = (await crowd(2)).api;
    assertRefused(await elsewhere.call('GET', `/users?cursor=${cursor}`), 400, /cursor/);
    assertRefused(await api.call('GET', `/users/custom_attributes?cursor=${cursor}`), 400, /cursor/);
    for (const bad of ['x', `${cursor}A`, cursor.slice(0, -4), cursor.toLowerCase(), "'%20or%201=1", '%F0%9F%98%80']) {
      assertRefused(await api.call('GET', `/users?cursor=${bad}`), 400, /cursor/, bad);
    }
  });

  it('with a cursor: page and sort are 400, limit is ignored, filters must be the same', async () => {
    const { api, ids } = await crowd(4);
    const cursor = header(await api.call('GET', '/users?limit=1&lastname=L*&sort=id'), 'after-cursor');
    assertRefused(await api.call('GET', `/users?cursor=${cursor}&page=1`), 400, /page/);
    assertRefused(await api.call('GET', `/users?cursor=${cursor}&sort=id`), 400, /sort/);
    assertRefused(await api.call('GET', `/users?cursor=${cursor}&lastname=M*`), 400, /lastname/);
    assertRefused(await api.call('GET', `/users?cursor=${cursor}&status=1`), 400, /status/);
    const same = await api.call('GET', `/users?cursor=${cursor}&limit=3&lastname=L*`);
    assert.deepEqual(idsOf(same), [ids[1]]);
  });

  it('refuses what is out of range or unknown with 400 on every list (I6)', async () => {
    const api = await managing(app());
    const { id } = await newUser(api);
    for (const list of listPaths) {
      const path = list.replace('{user}', String(id));
      for (const query of [
        ...['limit=0', 'limit=1001', 'limit=x', 'limit=-1', 'page=0', 'page=x', 'page=2147483648'],
        ...['sort=nothing', 'sort=password_digest', "sort=id'--", 'sort=--id', 'sort=id,name', 'fields=nothing'],
        ...['fields=id,,', 'fields=__proto__', 'fields=constructor', 'sort=__proto__'],
      ]) {
        assertRefused(await api.call('GET', `${path}?${query}`), 400, /./, `${path}?${query}`);
      }
      await api.done(200, 'GET', `${path}?limit=1000&page=2147483647&sort=%2Bid&fields=id`);
      await api.done(200, 'GET', `${path}?sort=+id&limit=&page=`);
    }
    assertRefused(await api.call('GET', '/users?nonsense=1'), 400, /nonsense/);
    assertRefused(
      await api.call('GET', `/users?firstname=${'é'.repeat(250)}&lastname=${'é'.repeat(250)}&title=${'é'.repeat(250)}`),
      400,
      /filters/,
    );
    await api.done(200, 'GET', '/users/custom_attributes?nonsense=1');
  });

  it('a page next to a position stays correct while rows are added and removed', async () => {
    const { api, ids } = await crowd(6);
    const first = await api.call('GET', '/users?limit=2');
    await api.done(204, 'DELETE', `/users/${ids[1]}`);
    await api.done(204, 'DELETE', `/users/${ids[2]}`);
    await newUser(api, { firstname: unique() });
    const second = await api.call('GET', `/users?cursor=${header(first, 'after-cursor')}`);
    assert.deepEqual(idsOf(second), [ids[3], ids[4]]);
    const back = await api.call('GET', `/users?cursor=${header(second, 'before-cursor')}`);
    assert.deepEqual(idsOf(back), [ids[0]]);
    assert.equal(header(back, 'before-cursor'), undefined);
  });
}
