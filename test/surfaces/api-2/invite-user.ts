import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { addUser } from '../../support/users.ts';
import { assertRefused, managing } from './managing.ts';

export function inviteUser(app: () => TestApp): void {
  it('an invite is a link of the account to a page that asks for a password, and the trail has it', async () => {
    const api = await managing(app());
    const { services, account } = app();
    const user = await addUser(services, account, { email: 'invited@example.com' });
    const first = await api.done(201, 'POST', `/users/${user.id}/invite`);
    const { link } = await api.done(201, 'POST', `/users/${user.id}/invite`, {});
    const pathOf = (text: string) => text.slice(account.baseUrl.length);
    assert.ok(link.startsWith(`${account.baseUrl}/password/reset?token=il_`), link);
    assert.equal((await app().send('GET', pathOf(link))).status, 200);
    assert.notEqual((await app().send('GET', pathOf(first.link))).status, 200, 'the newer one replaces it');
    const events = await api.done(200, 'GET', `/events?target=user:${user.id}&action=invite.created`);
    assert.equal(events.length, 2);
    assert.doesNotMatch(JSON.stringify(events), /il_/);
    assert.ok((await api.done(200, 'GET', `/users/${user.id}`)).invitation_sent_at);
  });

  it('nobody is invited who is not there, by members, or by who may not set a password', async () => {
    const api = await managing(app());
    const { id } = await addUser(app().services, app().account, { username: 'without-an-address' });
    await api.done(201, 'POST', `/users/${id}/invite`);
    assertRefused(await api.call('POST', '/users/2147483647/invite', {}), 404);
    assertRefused(await api.call('POST', `/users/${id}/invite`, { email: 'x' }), 422, /email/);
    const ofUsers = await managing(app(), 'manage_users');
    assertRefused(await ofUsers.call('POST', `/users/${id}/invite`, {}), 403, /manage_all$/);
  });
}
