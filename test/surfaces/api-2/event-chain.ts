/** The chain of the audit trail: what is known of it, and its verification in parts. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { beginVerification, noteVerification, verifyNextPart } from '../../../src/domain/audit/verified.ts';
import type { TestApp } from '../../support/app.ts';
import { assertRefused, managing } from './managing.ts';

export function eventChain(app: () => TestApp): void {
  it('a verification says up to which event, and when', async () => {
    using _ = app().services.clock.hold();
    const one = await app().another();
    const api = await managing(one, 'read_all');
    const { length } = await api.done(200, 'GET', '/events?limit=1000');
    const never = { events: length, verified_events: null, verified_at: null, first_bad: null, reached: null };
    assert.deepEqual(await api.done(200, 'GET', '/events/chain'), never);
    const verified = {
      ...never,
      verified_events: length,
      verified_at: new Date(one.services.clock.now()).toISOString(),
    };
    assert.deepEqual(await api.done(200, 'POST', '/events/chain/verify'), verified);
    one.services.clock.advance(1000);
    await (await managing(one)).done(201, 'POST', '/roles', { name: 'one more event' });
    const now = await api.done(200, 'GET', '/events/chain');
    assert.ok(now.events > length);
    assert.deepEqual({ ...now, events: length }, verified);
    assert.equal((await api.done(200, 'GET', '/events?limit=1000')).length, now.events, 'it is no event itself');
  });

  it('a long trail is verified in parts, whoever asks for the next one', async () => {
    const one = await app().another();
    const { services, account } = one;
    const api = await managing(one);
    for (const name of ['a', 'b', 'c', 'd', 'e']) await api.done(201, 'POST', '/roles', { name });
    const { events } = await api.done(200, 'GET', '/events/chain');
    const reached: (number | null)[] = [];
    for (let part = await verifyNextPart(services, account, 2); ; part = await verifyNextPart(services, account, 2)) {
      reached.push(part.reached);
      if (part.reached === null) break;
      assert.equal((await api.done(200, 'GET', '/events/chain')).reached, part.reached);
      assert.equal(part.verifiedAt, null);
    }
    const expected = Array.from({ length: Math.ceil(events / 2) - 1 }, (_, index) => 2 * (index + 1));
    assert.deepEqual(reached, [...expected, null]);
    assert.equal((await api.done(200, 'GET', '/events/chain')).verified_events, events);
    assert.equal((await verifyNextPart(services, account, 2)).reached, 2);
    assert.equal((await api.done(200, 'POST', '/events/chain/verify', {})).reached, null, 'it goes on to the end');
  });

  it('what a verification found is told until another one ends well', async () => {
    const one = await app().another();
    const api = await managing(one);
    const { verified_at: at, verified_events: before } = await api.done(200, 'POST', '/events/chain/verify', {});
    const begun = await beginVerification(one.services, one.account);
    await noteVerification(one.services, one.account, begun, { events: 1, verified: false, firstBad: 2 });
    const found = await api.done(200, 'GET', '/events/chain');
    assert.deepEqual([found.first_bad, found.reached, found.verified_at, found.verified_events], [2, null, at, before]);
    assert.equal((await api.done(200, 'POST', '/events/chain/verify', {})).first_bad, null);
  });

  it('a request sent again with its key is answered as the first time, and verifies nothing', async () => {
    const one = await app().another();
    const api = await managing(one);
    const key = { 'idempotency-key': 'verified-once-and-again' };
    const first = await api.call('POST', '/events/chain/verify', {}, key);
    assert.equal(first.status, 200, first.text);
    await api.done(201, 'POST', '/roles', { name: 'an event after it' });
    const again = await api.call('POST', '/events/chain/verify', {}, key);
    assert.deepEqual([again.status, again.body], [200, first.body]);
    const { events, verified_events: verified } = await api.done(200, 'GET', '/events/chain');
    assert.deepEqual([events > verified, verified], [true, first.body.events]);
  });

  it('members and parameters are refused, and scopes of users alone', async () => {
    const api = await managing(app());
    assertRefused(await api.call('POST', '/events/chain/verify', { from: 1 }), 422, /from/);
    const ofUsers = await managing(app(), 'manage_users');
    assertRefused(await ofUsers.call('GET', '/events/chain'), 403);
    assertRefused(await ofUsers.call('POST', '/events/chain/verify', {}), 403);
  });
}
