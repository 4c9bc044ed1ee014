import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import { managing } from '../api-2/managing.ts';
import { calling, userXml } from './calling.ts';

interface Told {
  readonly action: string;
  readonly outcome: string;
  readonly actor: unknown;
  readonly target: { readonly type: string; readonly id: number };
  readonly detail: unknown;
}

/** The document's §5: all activity with a key is logged in the audit trail as the user `API`. */
export function audit(app: () => TestApp): void {
  it('X6: the trail records every call with the actor API, including reads and refusals', async () => {
    const own = await app().another();
    const { call, done, keyId } = await calling(own);
    const email = `${unique('user')}@example.com`;
    const { id } = await done(201, 'POST', '/users.xml', userXml({ email, firstname: 'canary-of-a-name' }));
    await done(200, 'GET', '/users.xml');
    await done(200, 'GET', `/users/${id}.xml`);
    await done(200, 'PUT', `/users/${id}.xml`, userXml({ lastname: 'x', 'role-id': null }));
    await done(200, 'DELETE', `/users/${id}.xml`);
    await call('GET', `/users/${id}.xml`);
    await call('POST', '/users.xml', '<user><canary-of-an-element/></user>');
    await call('POST', '/users.xml', '<!DOCTYPE a><user/>');
    await call('POST', '/users.xml', userXml({}), { 'content-type': 'text/xml' });
    await call('GET', '/users.xml', undefined, { accept: 'text/html' });
    await call('GET', '/users.xml?limit=0');
    const json = await managing(own);
    const { text } = await json.call('GET', `/events?actor=API:${keyId}&limit=100`);
    const events: Told[] = JSON.parse(text).reverse();
    assert.ok(events.every(({ actor }) => JSON.stringify(actor) === JSON.stringify({ type: 'API', id: keyId })));
    const account = { type: 'account', id: own.account.id };
    const user = { type: 'user', id };
    const refused = (operation: string, reason: string) => [
      'api_key.refused',
      'refused',
      account,
      { operation, reason },
    ];
    assert.deepEqual(
      events.map(({ action, outcome, target, detail }) => [action, outcome, target, detail]),
      [
        ['user.created', 'success', user, { fields: ['email', 'firstname'] }],
        ['user.listed', 'success', account, { count: 1 }],
        ['user.read', 'success', user, {}],
        ['user.changed', 'success', user, { fields: ['lastname', 'role_id'], grants_revoked: 0 }],
        ['user.removed', 'success', user, {}],
        refused('readUser', 'not_found'),
        refused('createUser', 'value_invalid'),
        refused('createUser', 'request_malformed'),
        refused('createUser', 'media_type_unsupported'),
        refused('listUsers', 'media_type_unsupported'),
        refused('listUsers', 'request_invalid'),
      ],
    );
    assert.doesNotMatch(text, /canary/);
  });
}
