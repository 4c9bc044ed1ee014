import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { redirectUri, registerClient } from '../../support/sign-in.ts';
import { assertTold } from './told.ts';

/** What a client does with its own registration (RFC 7592). */
export function registrationsTold(app: () => TestApp): void {
  it('a registration that its client replaces and deletes: the names of changed members, and no values', async () => {
    const client = (await registerClient(app())) as unknown as Record<string, string> & { readonly app_id: number };
    const path = `/oauth2/register/${client['client_id']}`;
    const headers = { authorization: `Bearer ${client['registration_access_token']}` };
    const json = { client_id: client['client_id'], client_name: 'canary', redirect_uris: [redirectUri] };
    const actor = `client ${client.app_id}` as const;
    const target = `app ${client.app_id}` as const;
    await assertTold(app(), () => app().send('GET', path, { headers }), []);
    await assertTold(app(), () => app().send('PUT', path, { headers, json }), [
      ['app.changed', actor, target, { fields: ['name', 'grant_types'] }],
    ]);
    await assertTold(app(), () => app().send('PUT', path, { headers, json: { ...json, client_id: 'x' } }), []);
    await assertTold(app(), () => app().send('DELETE', path, { headers }), [['app.removed', actor, target, {}]]);
    await assertTold(app(), () => app().send('DELETE', path, { headers }), []);
  });
}
