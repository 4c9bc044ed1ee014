import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { assertRefused, managing } from './managing.ts';

interface Shown {
  readonly kid: string;
  readonly alg: string;
  readonly state: string;
  readonly rotation_step: string;
  readonly published_at: string;
  readonly signs_from: string;
  readonly signs_until: string | null;
  readonly retires_at: string | null;
}

const day = 24 * 60 * 60_000;

export function signingKeys(app: () => TestApp): void {
  const published = async (one: TestApp) => {
    const { body } = await one.send('GET', '/oauth2/jwks');
    return new Set<string>(body.keys.map(({ kid }: { kid: string }) => kid));
  };
  const sorted = (keys: readonly Shown[]) => keys.toSorted((one, other) => (one.kid < other.kid ? -1 : 1));
  const stateOf = ({ alg, state, rotation_step: step }: Shown) => `${alg} ${state} ${step}`;

  it('a rotation publishes the next keys, which sign a day later, and nothing is changed while they wait', async () => {
    using _ = app().services.clock.hold();
    const one = await app().another();
    const api = await managing(one);
    const before: Shown[] = await api.done(200, 'GET', '/signing-keys');
    assert.deepEqual(before.map(stateOf).toSorted(), ['ES256 signing signing', 'RS256 signing signing']);
    assert.doesNotMatch(JSON.stringify(before), /private|sealed|"[dnxy]"/);
    const now = one.services.clock.now();
    const done = await api.done(200, 'POST', '/signing-keys/rotate');
    assert.equal(done.published.length, 2);
    assert.deepEqual(done.waiting, []);
    assert.deepEqual(sorted(done.keys), sorted(await api.done(200, 'GET', '/signing-keys')));
    assert.deepEqual(done.keys.map(stateOf).toSorted(), [
      'ES256 next published',
      'ES256 signing published',
      'RS256 next published',
      'RS256 signing published',
    ]);
    for (const key of done.keys as Shown[]) {
      const isNext = done.published.includes(key.kid);
      assert.equal(key.state, isNext ? 'next' : 'signing');
      const later = new Date(now + day).toISOString();
      assert.equal(isNext ? key.signs_from : key.signs_until, later);
      assert.equal(key.published_at, new Date(now).toISOString());
      assert.deepEqual(isNext ? [key.signs_until, key.retires_at] : [], isNext ? [null, null] : []);
    }
    for (const { kid } of done.keys as Shown[]) assert.ok((await published(one)).has(kid));
    const again = await api.done(200, 'POST', '/signing-keys/rotate', {});
    assert.deepEqual([again.published, again.waiting.toSorted()], [[], done.published.toSorted()]);
    one.services.clock.advance(day);
    const later = await managing(one);
    const after: Shown[] = await later.done(200, 'GET', '/signing-keys?state=signing');
    assert.deepEqual(after.map(({ kid }) => kid).toSorted(), done.published.toSorted());
    assert.deepEqual(
      after.map(({ rotation_step: step }) => step),
      ['replaced', 'replaced'],
    );
    const events = await later.done(200, 'GET', '/events?action=signing_key.published');
    assert.equal(events.length, 2);
    assert.equal(events[0].actor.type, 'credential');
  });

  it('in an emergency new keys sign at once, and all others are withdrawn', async () => {
    const one = await app().another();
    const api = await managing(one);
    await api.done(200, 'POST', '/signing-keys/rotate');
    const former: Shown[] = await api.done(200, 'GET', '/signing-keys');
    const done = await api.done(200, 'POST', '/signing-keys/emergency');
    assert.equal(done.published.length, 2);
    const states = new Map<string, string>(done.keys.map(({ kid, state }: Shown) => [kid, state]));
    for (const kid of done.published) assert.equal(states.get(kid), 'signing');
    for (const { kid } of former) assert.equal(states.get(kid), 'retired');
    for (const { state, signs_until: until, retires_at: retires } of done.keys as Shown[]) {
      assert.equal(until, state === 'signing' ? null : retires, 'what was to sign next never did');
    }
    const now = await published(one);
    assert.deepEqual(
      [former.filter(({ kid }) => now.has(kid)), done.published.every((kid: string) => now.has(kid))],
      [[], true],
    );
    const events = await api.done(200, 'GET', '/events?action=signing_key.published&limit=2');
    assert.deepEqual(
      events.map(({ detail }: { detail: { emergency: boolean } }) => detail.emergency),
      [true, true],
    );
  });

  it('either all keys are replaced or none', async () => {
    const one = await app().another();
    const api = await managing(one);
    const before = await api.done(200, 'GET', '/signing-keys');
    await Promise.all([1, 2, 3].map(() => api.done(200, 'POST', '/signing-keys/rotate')));
    const after: Shown[] = await api.done(200, 'GET', '/signing-keys');
    assert.equal(after.length, before.length + 2, 'three at once publish one key of each algorithm');
    assertRefused(await api.call('POST', '/signing-keys/rotate', { more: 1 }), 422, /more/);
  });

  it('are listed in pages, by algorithm and state, and of the account of the caller alone', async () => {
    const [one, other] = [await app().another(), await app().another()];
    const api = await managing(one);
    const first = await api.call('GET', '/signing-keys?limit=1&sort=-published_at');
    assert.equal(first.headers['total-count'], '2');
    const second = await api.call('GET', `/signing-keys?cursor=${first.headers['after-cursor']}`);
    assert.notEqual(second.body[0].kid, first.body[0].kid);
    assert.equal(second.headers['after-cursor'], undefined);
    const [elliptic] = await api.done(200, 'GET', '/signing-keys?alg=ES256');
    const [theirs] = await (await managing(other)).done(200, 'GET', '/signing-keys?alg=ES256');
    assert.notEqual(elliptic.kid, theirs.kid);
    await api.done(200, 'POST', '/signing-keys/emergency');
    assert.deepEqual(await (await managing(other)).done(200, 'GET', '/signing-keys?alg=ES256'), [theirs]);
    assertRefused(await api.call('GET', '/signing-keys?nothing=1'), 400, /nothing/);
  });
}
