import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Action } from '../../../src/domain/audit/events.ts';
import type { EventRecord } from '../../../src/store/events.ts';
import type { TestApp } from '../../support/app.ts';
import { authorizePath, CookieJar, makeUser, password, registerClient, submit, walk } from '../../support/sign-in.ts';
import { managing } from '../../surfaces/api-2/managing.ts';
import { assertTold, toldBy } from './told.ts';

/** Each event in short; all by the one credential that called, none with a value that was sent. */
function readManaged(events: readonly EventRecord[]): [string, string, unknown][] {
  assert.deepEqual([...new Set(events.map(({ actorType }) => actorType))], ['credential']);
  assert.equal(new Set(events.map(({ actorId }) => actorId)).size, 1);
  assert.ok(events.every(({ requestId, source }) => requestId !== null && source === '127.0.0.1'));
  assert.doesNotMatch(JSON.stringify(events), /canary/i);
  return events.map(({ action, targetType, targetId, detail }) => [
    action,
    `${targetType} ${targetId}`,
    JSON.parse(detail),
  ]);
}

/** What is changed over `/api/2`, and the password that is replaced on the page. */
export function managementTold(app: () => TestApp): void {
  it('policies over HTTP, by the credential', async () => {
    const api = await managing(app());
    let id = 0;
    const events = await toldBy(app(), async () => {
      id = (await api.done(201, 'POST', '/policies', { name: 'Canary', minimum_password_length: 12 })).id;
      await api.done(200, 'PUT', `/policies/${id}`, { lock_effective_minutes: 1 });
      await api.done(422, 'PUT', `/policies/${id}`, { lock_effective_minutes: -1 });
      await api.done(204, 'DELETE', `/policies/${id}`);
      await api.done(404, 'DELETE', `/policies/${id}`);
    });
    assert.deepEqual(readManaged(events), [
      ['policy.created', `policy ${id}`, { fields: ['name', 'minimum_password_length'] }],
      ['policy.changed', `policy ${id}`, { fields: ['lock_effective_minutes'] }],
      ['policy.removed', `policy ${id}`, {}],
    ]);
  });

  it('an API authorization server with its scopes, claims and clients over HTTP', async () => {
    const { app_id } = await registerClient(app());
    const api = await managing(app());
    let path = '';
    const made = { server: 0, scope: 0, claim: 0 };
    const events = await toldBy(app(), async () => {
      const configuration = { resource_identifier: 'https://canary.example.com/api' };
      made.server = (await api.done(200, 'POST', '/api_authorizations', { name: 'Canary', configuration })).id;
      path = `/api_authorizations/${made.server}`;
      await api.done(200, 'PUT', path, { description: 'Canary' });
      made.scope = (await api.done(200, 'POST', `${path}/scopes`, { value: 'canary:sing' })).id;
      await api.done(200, 'PUT', `${path}/scopes/${made.scope}`, { description: 'Canary' });
      await api.done(422, 'POST', `${path}/scopes`, { value: 'canary:sing' });
      const claim = { name: 'canary', user_attribute_mappings: 'email' };
      made.claim = (await api.done(200, 'POST', `${path}/claims`, claim)).id;
      await api.done(200, 'PUT', `${path}/claims/${made.claim}`, { name: 'canaries' });
      await api.done(201, 'POST', `${path}/clients`, { app_id, scopes: [made.scope] });
      await api.done(200, 'PUT', `${path}/clients/${app_id}`, { scopes: [] });
      await api.done(204, 'DELETE', `${path}/clients/${app_id}`);
      await api.done(204, 'DELETE', `${path}/claims/${made.claim}`);
      await api.done(204, 'DELETE', `${path}/scopes/${made.scope}`);
      await api.done(204, 'DELETE', path);
    });
    const target = `api_authorization ${made.server}`;
    const scope = { scope_id: made.scope };
    const claim = { claim_id: made.claim };
    const expected: [Action, object][] = [
      ['api_authorization.created', { fields: ['name', 'resource_identifier'] }],
      ['api_authorization.changed', { fields: ['description'] }],
      ['api_scope.created', scope],
      ['api_scope.changed', { ...scope, fields: ['description'] }],
      ['api_claim.created', claim],
      ['api_claim.changed', { ...claim, fields: ['label'] }],
      ['api_client.linked', { app_id, scope_ids: [made.scope] }],
      ['api_client.changed', { app_id, scope_ids: [] }],
      ['api_client.unlinked', { app_id, grants_revoked: 0 }],
      ['api_claim.removed', claim],
      ['api_scope.removed', scope],
      ['api_authorization.removed', { grants_revoked: 0 }],
    ];
    assert.deepEqual(
      readManaged(events),
      expected.map(([action, detail]) => [action, target, detail]),
    );
  });

  it('a password that must be replaced, and its replacement on the page', async () => {
    const { services, account } = app();
    const client = await registerClient(app());
    const user = await makeUser(app(), client.app_id);
    await services.store.users.update(account.id, user.id, { status: 4 });
    const begun = await walk(app(), new CookieJar(), authorizePath(client));
    const named = { username: user.email ?? '', password };
    let due = begun;
    await assertTold(app(), async () => {
      due = await submit(app(), begun, named);
    }, []);
    const who = `user ${user.id}` as const;
    const fresh = { new_password: 'a canary on the roof', new_password_confirmation: 'a canary on the roof' };
    const events = await assertTold(app(), () => submit(app(), due, fresh), [
      ['user.changed', who, who, { fields: ['password'], grants_revoked: 0 }],
      ['sign_in.succeeded', who, who, { app_id: client.app_id, methods: ['pwd'] }],
    ]);
    assert.doesNotMatch(JSON.stringify(events), /canary/);
  });
}
