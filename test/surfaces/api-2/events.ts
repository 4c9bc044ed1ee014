import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { outcomes } from '../../../src/domain/audit/events.ts';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { contracts } from '../../support/conforms.ts';
import type { DatabaseKind } from '../../support/stores.ts';

interface Shown {
  readonly request_id: string | null;
  readonly id: number;
  readonly created_at: string;
  readonly action: string;
  readonly actor: { readonly type: string; readonly id: number | null };
  readonly target: { readonly type: string; readonly id: number | null };
}

/** Reading the trail, on a separate account whose every event is known. */
export function events(kind: DatabaseKind): void {
  describe(`GET /api/2/events on ${kind}`, () => {
    let app: TestApp;
    let headers: { authorization: string };
    let userId = 0;

    before(async () => {
      app = await openTestApp(kind);
      headers = { authorization: `Bearer ${await app.bearer('manage_all')}` };
      const json = { email: 'ada@example.com', password: 'canary-password' };
      const made = await app.send('POST', '/api/2/users', { headers, json });
      assert.equal(made.status, 201, made.text);
      userId = made.body.id;
      for (let left = 10; left > 0; left -= 1) {
        app.services.clock.advance(1000);
        await app.send('PUT', `/api/2/users/${userId}`, { headers, json: { title: `title ${left}` } });
        await createRole(app.services, app.account, { name: `role ${left}` });
      }
    });
    after(() => app.dispose());

    async function list(query = ''): Promise<Shown[]> {
      const answer = await app.send('GET', `/api/2/events${query}`, { headers });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    }

    it('newest first, with the caller, and without the sent values', async () => {
      const all = await list();
      const { lastId } = await app.services.store.events.findEnd(app.account.id);
      assert.deepEqual(
        all.map(({ id }) => id),
        all.map((_, index) => lastId - index),
      );
      const {
        id,
        created_at: _,
        actor,
        request_id: requestId,
        ...event
      } = all.find(({ action }) => action === 'user.created') as Shown;
      assert.ok(id > 1);
      assert.match(requestId ?? '', /^[\da-f-]{36}$/);
      assert.deepEqual([actor.type, Number.isInteger(actor.id)], ['credential', true]);
      assert.deepEqual(event, {
        action: 'user.created',
        outcome: 'success',
        target: { type: 'user', id: userId },
        source: '127.0.0.1',
        detail: { fields: ['email', 'password'] },
      });
      assert.doesNotMatch(JSON.stringify(all), /canary|title 1|ada@/);
    });

    it('by actor, action, target and time', async () => {
      const all = await list();
      const same = async (query: string, wanted: (event: Shown) => boolean) => {
        const expected = all.filter(wanted);
        assert.ok(expected.length > 0 && expected.length < all.length, query);
        assert.deepEqual(await list(query), expected, query);
      };
      const credential = all.find(({ actor }) => actor.type === 'credential')?.actor.id;
      const one = all[Math.floor(all.length / 3)]?.id;
      await same(`?id=${one}`, ({ id }) => id === one);
      assert.deepEqual(await list(`?id=${one}&action=authorization.refused`), []);
      await same('?action=user.changed', ({ action }) => action === 'user.changed');
      await same(`?target=user:${userId}`, ({ target }) => target.type === 'user' && target.id === userId);
      await same(`?actor=credential:${credential}`, ({ actor }) => actor.type === 'credential');
      await same('?actor=system', ({ actor }) => actor.type === 'system');
      const middle = all[Math.floor(all.length / 2)]?.created_at ?? '';
      await same(`?created_since=${middle}`, ({ created_at: at }) => at >= middle);
      await same(`?created_until=${middle}`, ({ created_at: at }) => at <= middle);
      await same('?action=role.created&actor=system', ({ action }) => action === 'role.created');
      const keyId = async () => {
        const { status, body } = await app.send('POST', '/api/2/api_keys', { headers, json: { name: 'partner' } });
        assert.equal(status, 201);
        const key = { authorization: `Basic ${Buffer.from(`${body.api_key}:x`).toString('base64')}` };
        assert.equal((await app.send('GET', `/users/${userId}.xml`, { headers: key })).status, 200);
        return body.id as number;
      };
      const keys = [await keyId(), await keyId()];
      const byKeys = await list('?actor=API');
      assert.deepEqual([...new Set(byKeys.map(({ actor }) => actor.id))].sort(), keys, 'the calls of every key');
      assert.ok(byKeys.every(({ actor }) => actor.type === 'API'));
      for (const key of keys) {
        const own = byKeys.filter(({ actor }) => actor.id === key);
        assert.deepEqual(await list(`?actor=API:${key}`), own);
      }
      assert.deepEqual(await list('?actor=credential'), []);
      assert.deepEqual(await list('?action=authorization.refused'), []);
      for (const later of [
        'action=user.teleported',
        'actor=robot:7',
        'actor=robot',
        'target=planet:7',
        'target=planet',
      ]) {
        assert.deepEqual(await list(`?${later}`), [], later);
      }
      assert.deepEqual(await list('?sort=created_at'), [...(await list())].reverse());
    });

    it('by request, and by the user and the app that they are about', async () => {
      const json = { name: 'diary', redirect_uris: ['https://diary.example/cb'] };
      const made = await app.send('POST', '/api/2/apps', { headers, json });
      assert.equal(made.status, 200, made.text);
      const appId: number = made.body.id;
      const assign = { headers, json: [userId] };
      const assigned = await app.send('POST', `/api/2/apps/${appId}/users`, assign);
      assert.equal(assigned.status, 200, assigned.text);
      const actions = async (query: string) => (await list(query)).map(({ action }) => action);
      const requestId = assigned.headers['x-request-id'];
      assert.deepEqual(await actions(`?request_id=${requestId}`), ['access.granted']);
      assert.deepEqual(await actions(`?request_id=${made.headers['x-request-id']}`), ['app.created']);
      assert.deepEqual(await actions(`?request_id=${'0'.repeat(36)}`), []);
      assert.deepEqual(await actions(`?app_id=${appId}`), ['access.granted', 'app.created']);
      assert.deepEqual(await actions(`?app_id=${appId}&user_id=${userId}`), ['access.granted']);
      const own = (await list()).filter(({ target }) => target.type === 'user' && target.id === userId);
      assert.deepEqual(await actions(`?user_id=${userId}`), ['access.granted', ...own.map(({ action }) => action)]);
      assert.deepEqual(await actions(`?user_id=${userId + 1}`), []);
      const since = (await list(`?user_id=${userId}`))[0]?.created_at;
      assert.deepEqual(await actions(`?user_id=${userId}&created_since=${since}`), ['access.granted']);
    });

    it('page by page with cursors, while events are added', async () => {
      const all = await list();
      const seen: number[] = [];
      let path = '/api/2/events?limit=3';
      for (;;) {
        const answer = await app.send('GET', path, { headers });
        assert.equal(answer.status, 200, answer.text);
        seen.push(...answer.body.map(({ id }: Shown) => id));
        const cursor = answer.headers['after-cursor'];
        if (!cursor) break;
        await createRole(app.services, app.account, { name: `meanwhile ${seen.length}` });
        path = `/api/2/events?cursor=${cursor}`;
      }
      assert.deepEqual(
        seen,
        all.map(({ id }) => id),
      );
    });

    it('refuses invalid filters, and callers without permission', async () => {
      for (const query of [
        'actor=user:x',
        'actor=user:7:8',
        'user_id=x',
        'app_id=0',
        'id=0',
        'id=x',
        'nonsense=1',
        'sort=action',
        'created_since=x',
      ]) {
        assert.equal((await app.send('GET', `/api/2/events?${query}`, { headers })).status, 400, query);
      }
      assert.equal((await app.send('GET', '/api/2/events')).status, 401);
      for (const scope of ['read_users', 'manage_users', 'register_clients', 'authentication_only'] as const) {
        const other = { authorization: `Bearer ${await app.bearer(scope)}` };
        assert.equal((await app.send('GET', '/api/2/events', { headers: other })).status, 403, scope);
      }
      const stranger = await app.another();
      assert.equal((await stranger.send('GET', '/api/2/events', { headers })).status, 401);
      const reader = { authorization: `Bearer ${await stranger.bearer('read_all')}` };
      const own = await stranger.send('GET', '/api/2/events', { headers: reader });
      assert.ok(own.body.every(({ target }: Shown) => target.type !== 'user'));
    });

    it('the contract knows every action', () => {
      const schemas = contracts.get('api-2')?.contract as unknown as {
        components: { schemas: Record<string, { properties: { action: { enum: string[] } } }> };
      };
      const listed = schemas.components.schemas['AuditEvent']?.properties.action.enum;
      assert.deepEqual(listed, Object.keys(outcomes));
    });
  });
}
