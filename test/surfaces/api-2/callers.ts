/**
 * What the matrix of operations and scopes does not say: what only `manage_all` may write, and ids of another account
 * in bodies and filters.
 */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { assertRefused, managing, newUser, operationsOf } from './managing.ts';

const operations = operationsOf();
const unknown = 2_147_483_000;

export function callers(app: () => TestApp): void {
  it('only manage_all may set passwords and roles, and skip rules', async () => {
    const api = await managing(app(), 'manage_users');
    const { id } = await newUser(api);
    for (const [path, body] of [
      ['', { password: 'correct horse' }],
      ['', { role_ids: [] }],
      ['?validate_policy=false', { firstname: 'x' }],
    ] as const) {
      assertRefused(await api.call('PUT', `/users/${id}${path}`, body), 403, /manage_all/);
      assertRefused(await api.call('POST', `/users${path}`, { username: 'nobody', ...body }), 403, /manage_all/);
    }
    await api.done(200, 'PUT', `/users/${id}?mappings=async&validate_policy=true`, { firstname: 'x', password: '' });
  });

  it('answers another account’s id as an unknown id, and changes nothing there', async () => {
    const other = await app().another();
    const theirs = await managing(other);
    const attribute = await theirs.done(201, 'POST', '/users/custom_attributes', {
      user_field: { name: 'Theirs', shortname: 'theirs' },
    });
    const user = await newUser(theirs, { username: 'hidden' });
    const bodies = new Map<string, object>([
      ['unlockUser', {}],
      ['inviteUser', {}],
      ['explainUser', { method: 'password' }],
    ]);
    const api = await managing(app());
    for (const { method, path, hasBody, operationId } of operations.filter((one) =>
      /^\/users\/.*\{id\}/.test(one.path),
    )) {
      const { id } = path.includes('custom_attributes') ? attribute : user;
      const body = hasBody ? (bodies.get(operationId) ?? { position: 2 }) : undefined;
      const answerTo = (one: number) => api.call(method, path.replaceAll(/\{\w+\}/g, String(one)), body);
      const answers = [await answerTo(id), await answerTo(unknown)];
      assert.deepEqual(
        answers.map(({ status, text }) => [status, text]),
        [
          [404, answers[1]?.text],
          [404, answers[1]?.text],
        ],
        operationId,
      );
    }
    assert.deepEqual(await theirs.done(200, 'GET', `/users/${user.id}`), user);
    const { id } = await newUser(api);
    assertRefused(await api.call('PUT', `/users/${id}`, { manager_user_id: user.id }), 422, /manager_user_id/);
    assert.deepEqual(await api.done(200, 'GET', `/users?user_ids=${user.id}`), []);
    assert.deepEqual(await api.done(200, 'GET', '/users?username=hidden'), []);
  });
}
