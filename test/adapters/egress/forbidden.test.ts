import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createHookEgress } from '../../../src/adapters/egress/policies.ts';
import type { Egress } from '../../../src/domain/egress.ts';
import { type Internet, openInternet, publicAddress } from '../../support/internet.ts';
import { forbiddenTargets } from './forbidden-targets.ts';

const isOwnHost = (host: string) => /(^|\.)gatehouse\.example$|^login\.customer\.example$/.test(host);

describe('S9: targets that no request of a hook reaches', () => {
  let internet: Internet;
  let egress: Egress;
  before(async () => {
    internet = await openInternet();
    egress = createHookEgress({ public: true, hosts: [], isOwnHost }, internet.network);
  });
  after(() => internet.close());
  beforeEach(() => internet.forget());

  const get = (url: string) =>
    egress.fetch({ accountId: 1, url, method: 'GET', headers: [], body: null, redirect: 'follow' });

  /** Attempts to connect to anything but the public address by https. */
  const forbiddenAttempts = () =>
    internet.attempts.filter(({ address, port }) => address !== publicAddress || port !== 443);

  it(`none of ${forbiddenTargets.length} targets gets a connection, and each is refused with its reason`, async () => {
    assert.ok(forbiddenTargets.length >= 60);
    for (const { url, failure, addresses } of forbiddenTargets) {
      if (addresses) internet.names.set(new URL(url).hostname, addresses);
      assert.deepEqual(await get(url), { ok: false, failure }, url);
    }
    assert.deepEqual(internet.attempts, []);
  });

  it('redirects to them are refused', async () => {
    const targets = forbiddenTargets.filter(({ url }) => URL.canParse(url));
    for (const { url, failure, addresses } of targets) {
      if (addresses) internet.names.set(new URL(url).hostname, addresses);
      internet.handle((_, res) => res.writeHead(302, { location: new URL(url).href }).end());
      assert.deepEqual(await get('https://api.example.com/'), { ok: false, failure }, url);
    }
    assert.deepEqual(forbiddenAttempts(), []);
    assert.equal(internet.attempts.length, targets.length);
  });

  it('a name is resolved once per request, so rebinding has no effect', async () => {
    let asked = 0;
    internet.handle((_, res) => res.end());
    internet.names.set('rebinding.example.com', () => {
      asked += 1;
      return asked % 2 === 1 ? [publicAddress] : ['127.0.0.1'];
    });
    const outcomes: boolean[] = [];
    for (let request = 0; request < 10; request += 1) outcomes.push((await get('https://rebinding.example.com/')).ok);
    assert.deepEqual(
      outcomes,
      Array.from({ length: 10 }, (_, index) => index % 2 === 0),
    );
    assert.equal(asked, 10);
    assert.deepEqual(internet.attempts, Array(5).fill({ address: publicAddress, port: 443 }));
  });

  it('a name with internal and external addresses is connected to externally only', async () => {
    internet.names.set('mixed.example.com', ['10.0.0.1', '::1', publicAddress]);
    internet.handle((_, res) => res.end());
    assert.equal((await get('https://mixed.example.com/')).ok, true);
    assert.deepEqual(internet.attempts, [{ address: publicAddress, port: 443 }]);
  });

  it('with `none` nothing is resolved', async () => {
    const none = createHookEgress({ public: false, hosts: [], isOwnHost }, internet.network);
    const request = { accountId: 1, url: 'https://api.example.com/', method: 'GET', headers: [], body: null };
    assert.deepEqual(await none.fetch({ ...request, redirect: 'follow' }), { ok: false, failure: 'disabled' });
    assert.deepEqual([...internet.questions, ...internet.attempts], []);
  });
});
