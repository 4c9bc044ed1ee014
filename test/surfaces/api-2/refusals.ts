/** Refusals that somebody saw, explained by their references. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { tellReference } from '../../../src/domain/why/story.ts';
import type { TestApp } from '../../support/app.ts';
import { keepRefusal } from '../../support/refusals.ts';
import { authorizePath, CookieJar, makeUser, registerClient, submit, walk } from '../../support/sign-in.ts';
import { settle } from '../pages/browsing.ts';
import { assertRefused, type Management, managing } from './managing.ts';

const day = 86_400_000;
const unknown = '9f2c1f0a-5a52-4b8e-9f0e-5b1a5c0f6c11';
const nobody = { user_id: null, app_id: null, client_id: null, redirect_uri: null, hook_id: null };
const notFound = /^The resource with the given id could not be found$/;

const explained = (api: Management, reference: string) => api.done(200, 'GET', `/refusals/${reference}`);

/** A page that refuses, as its reader sees it; answers the reference. */
async function refusedAt(app: TestApp, path: string): Promise<string> {
  const { answer } = await walk(app, new CookieJar(), path);
  assert.ok(answer.status >= 400, answer.text);
  await app.services.refusals.flush();
  return String(answer.headers['x-request-id']);
}

export function refusals(app: () => TestApp): void {
  it('a refusal that writes no event has its cause, its remedy and what was sent, in the words of the command', async () => {
    using _ = app().services.clock.hold();
    const one = await app().another();
    const api = await managing(one, 'read_all');
    const sent = { client_id: 'nobody', redirect_uri: 'https://app.example.com/back' };
    const reference = await refusedAt(one, authorizePath(sent, { redirect_uri: sent.redirect_uri }));
    const told = await explained(api, reference);
    const words = await tellReference(one.services, one.account, reference);
    assert.deepEqual(told, {
      reference,
      created_at: new Date(one.services.clock.now()).toISOString(),
      source: '127.0.0.1',
      cause: `No app of the account ${one.account.subdomain} has the client_id nobody.`,
      remedy: words?.story.remedy ?? '',
      code: 'authorization_request_invalid',
      reason: 'client_unknown',
      parameter: 'client_id',
      ...nobody,
      ...sent,
      events: [],
    });
    assert.match(told.remedy, /gatehouse app list --account/);
    assert.deepEqual(await explained(api, reference.toUpperCase()), told, 'as somebody may type it');
    one.services.clock.advance(day - 1);
    const later = await managing(one, 'read_all');
    assert.deepEqual(await explained(later, reference), told);
    one.services.clock.advance(1);
    assertRefused(await later.call('GET', `/refusals/${reference}`), 404, notFound);
  });

  it('where the trail has an event of the request, it tells more: whose sign-in it was, and of which app', async () => {
    const one = await app().another({ 'limit.sign-in': 'off' });
    const api = await managing(one, 'read_all');
    const { begin, client } = await settle(one, { client_name: 'Desk' });
    const stranger = await makeUser(one);
    const { answer } = await submit(one, await begin(), {
      username: stranger.email ?? '',
      password: 'a wrong password',
    });
    const reference = String(answer.headers['x-request-id']);
    const told = await explained(api, reference);
    const events = await api.done(200, 'GET', `/events?request_id=${reference}`);
    assert.deepEqual([told.cause, told.user_id], [`The password for ${stranger.email} was wrong.`, stranger.id]);
    assert.deepEqual([told.code, told.reason, told.parameter], [null, 'wrong_password', null]);
    assert.deepEqual(told.events, events);
    // With a page and an event at once.
    const address = `https://app.example.com/${'a'.repeat(600)}`;
    const known = await refusedAt(one, authorizePath(client, { redirect_uri: address }));
    const { remedy: _, cause, events: ofPage, ...members } = await explained(api, known);
    assert.match(cause, /^Desk \(app \d+\) sent the redirect URI https:.* which is not registered for it\.$/);
    assert.deepEqual(
      ofPage.map(({ action }: { action: string }) => action),
      ['authorization.refused'],
    );
    const { created_at: at, source, ...others } = members;
    assert.deepEqual([at, source], [ofPage[0].created_at, '127.0.0.1']);
    assert.deepEqual(others, {
      ...{ reference: known, ...nobody, app_id: client.app_id, client_id: client.client_id },
      redirect_uri: address.slice(0, 512),
      ...{ code: 'authorization_request_invalid', reason: 'redirect_uri_differs', parameter: 'redirect_uri' },
    });
    // After a day the event alone tells.
    one.services.clock.advance(day);
    const later = await managing(one, 'read_all');
    const event = await explained(later, known);
    assert.deepEqual([event.cause, event.code, event.app_id], [cause, null, client.app_id]);
  });

  it("another account's reference is unknown, as is one of a request that nothing refused, and what is none", async () => {
    const api = await managing(app());
    const other = await app().another();
    const foreign = await refusedAt(other, authorizePath({ client_id: 'nobody' }));
    const { headers } = await api.call('POST', '/roles', { name: 'Not refused' });
    const done = String(headers['x-request-id']);
    assert.equal((await api.done(200, 'GET', `/events?request_id=${done}`)).length, 1);
    for (const reference of [foreign, done, unknown, unknown.slice(1), `${unknown}0`, 'x', '%00', `%20${unknown}`]) {
      assertRefused(await api.call('GET', `/refusals/${reference}`), 404, notFound, reference);
    }
    await explained(await managing(other), foreign);
    assertRefused(await api.call('GET', '/refusals/'), 404);
    assertRefused(await api.call('DELETE', `/refusals/${foreign}`), 405);
    assertRefused(await (await managing(app(), 'read_users')).call('GET', `/refusals/${foreign}`), 403);
  });

  it('what the service lacks is not told to those who read the trail, and what was sent has a bound', async () => {
    const api = await managing(app(), 'read_all');
    const keep = (given: Parameters<typeof keepRefusal>[1]) => keepRefusal(app(), given);
    for (const code of ['unavailable', 'internal']) {
      const reason = code === 'internal' ? 'fault' : 'the store is unavailable: ECONNREFUSED 10.0.0.7';
      const told = await explained(api, await keep({ code, reason, name: 'store', clientId: null }));
      assert.deepEqual([told.code, told.reason, told.parameter], [code, null, null]);
      assert.doesNotMatch(JSON.stringify(told), /ECONNREFUSED|store"|fault"/);
    }
    // An older release, or one to come.
    const strange = await explained(api, await keep({ code: 'of_old', reason: 'Some words.', name: null }));
    assert.deepEqual([strange.cause, strange.reason], ['It was refused (of_old).', null]);
    const name = '\u{1f511}'.repeat(300);
    const long = await explained(api, await keep({ code: 'request_invalid', reason: null, name, clientId: null }));
    assert.deepEqual([[...long.parameter].length, long.parameter.at(-1)], [255, '…']);
    const client = await registerClient(app(), {
      redirect_uris: Array.from({ length: 6 }, (_, index) => `https://app.example.com/${index}${'a'.repeat(1900)}`),
    });
    const many = await keep({ reason: 'redirect_uri_missing', name: 'redirect_uri', appId: client.app_id });
    const { remedy } = await explained(api, many);
    assert.deepEqual([remedy.length, remedy.at(-1)], [8192, '…']);
    const { story } = (await tellReference(app().services, app().account, many)) ?? {};
    assert.ok((story?.remedy.length ?? 0) > 11_000, 'the command says it whole');
  });
}
