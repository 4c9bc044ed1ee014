import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { assertRefused, managing, newUser, operationsOf } from './managing.ts';

const writing = operationsOf().filter(({ hasBody }) => hasBody);

export function routing(app: () => TestApp): void {
  const bearer = async () => ({ authorization: `Bearer ${await app().bearer('manage_all')}` });

  it('answers 404 for an unknown path and 405 with Allow for another method', async () => {
    const headers = await bearer();
    for (const path of ['/api/2', '/api/2/nothing', '/api/2/users/1/nothing', '/api/2/USERS']) {
      assertRefused(await app().send('GET', path, { headers }), 404);
    }
    const answer = await app().send('DELETE', '/api/2/users', { headers });
    assertRefused(answer, 405);
    assert.equal(answer.headers['allow'], 'GET, POST');
  });

  it('answers 404 for an impossible id', async () => {
    const api = await managing(app());
    for (const id of ['abc', '0', '-1', '1.5', '2147483648', '99999999999999999999', '1;drop', '%00', 'null']) {
      const answer = await api.call('GET', `/users/${id}`);
      assert.ok([400, 404].includes(answer.status), `${id}: ${answer.text}`);
      if (id !== '%00') assertRefused(answer, 404, /could not be found/, id);
    }
  });

  it('answers 400 for malformed JSON, 413 for a large body, 415 for another media type', async () => {
    const headers = await bearer();
    for (const { method, path, operationId } of writing) {
      const named = path.replace(/\{(registration|verification)_id\}/, '6f1c9a52-3f0e-4f0e-9a64-0d6c1c1e9b7a');
      const to = `/api/2${named.replaceAll(/\{\w+\}/g, '1')}`;
      const send = (raw: string, type = 'application/json') =>
        app().send(method, to, { headers: { ...headers, 'content-type': type }, raw });
      assertRefused(await send('{'), 400, /JSON/, operationId);
      assertRefused(await send('{"a":1,"a":2}'), 400, /twice/, operationId);
      assertRefused(await send('{"__proto__":{}}'), 400, /__proto__/, operationId);
      assertRefused(await send(`{"a":"${'a'.repeat(65_536)}"}`), 413, /larger/, operationId);
      assertRefused(await send('a=1', 'application/x-www-form-urlencoded'), 415, /application\/json/, operationId);
      assertRefused(await send('{}', 'text/plain'), 415, /application\/json/, operationId);
      const takesArray = /^\/roles\/\{id\}\/(?:users|admins|apps)$|^\/apps\/\{id\}\/users$/.test(path);
      assertRefused(await send(takesArray ? '{}' : '[]'), takesArray ? 400 : 422, /./, operationId);
    }
  });

  it('ignores the Content-Type without a body, and its parameters with one', async () => {
    const api = await managing(app());
    const { id } = await newUser(api);
    const headers = await bearer();
    for (const type of ['text/plain', 'application/json', 'nonsense']) {
      const answer = await app().send('POST', `/api/2/users/${id}/unlock`, {
        headers: { ...headers, 'content-type': type },
      });
      assert.deepEqual([answer.status, answer.body], [200, { message: 'User unlocked' }], type);
    }
    assertRefused(await app().send('POST', '/api/2/users', { headers }), 422, /email/);
    const type = 'application/json; charset=UTF-8; profile=x';
    const raw = '{"firstname":"Ada"}';
    const answer = await app().send('PUT', `/api/2/users/${id}`, {
      headers: { ...headers, 'content-type': type },
      raw,
    });
    assert.deepEqual([answer.status, answer.body.firstname], [200, 'Ada']);
    const removed = await app().send('DELETE', `/api/2/users/${id}`, { headers, json: { any: 'thing' } });
    assert.deepEqual([removed.status, removed.text], [204, '']);
  });

  it('answers 400 for a repeated parameter', async () => {
    const api = await managing(app());
    for (const { method, path, hasBody } of operationsOf()) {
      const answer = await api.call(
        method,
        `${path.replaceAll(/\{\w+\}/g, '1')}?twice=1&twice=2`,
        hasBody ? {} : undefined,
      );
      assertRefused(answer, 400, /twice/);
    }
  });
}
