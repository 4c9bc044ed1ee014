import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createOwnEgress } from '../../../src/adapters/egress/policies.ts';
import type { Egress, EgressPurpose, EgressRequest, EgressResult } from '../../../src/domain/egress.ts';
import { everywhere, type Internet, openInternet, patientMilliseconds } from '../../support/internet.ts';

const most = 256 * 1024;
const plain: EgressRequest = {
  accountId: 1,
  url: 'https://client.example.com/jwks',
  method: 'GET',
  headers: [],
  body: null,
  redirect: 'error',
};

describe('requests that the service makes itself', () => {
  let internet: Internet;
  let egress: Egress;
  before(async () => {
    internet = await openInternet();
    egress = createOwnEgress(everywhere, internet.network, patientMilliseconds);
  });
  after(() => internet.close());

  async function answer(body: Buffer | string, coding: string) {
    internet.handle((_, res) => res.writeHead(200, { 'content-encoding': coding }).end(body));
    const result = await egress.fetch(plain);
    return result.ok ? result.response.body.length : result.failure;
  }

  it('accept only gzip, and read it up to the same decoded size', async () => {
    let asked: unknown;
    internet.handle((req, res) => {
      asked = req.headers['accept-encoding'];
      res.end();
    });
    await egress.fetch(plain);
    assert.equal(asked, 'gzip');
    for (const coding of ['gzip', 'x-gzip']) {
      assert.equal(await answer(gzipSync(Buffer.alloc(most)), coding), most);
      assert.equal(await answer(gzipSync(Buffer.alloc(most + 1)), coding), 'response_too_large');
      assert.equal(await answer(gzipSync(Buffer.alloc(128 * most)), coding), 'response_too_large');
    }
    // Two members count together (RFC 1952 §2.2).
    const half = gzipSync(Buffer.alloc(most));
    assert.equal(await answer(Buffer.concat([half, half]), 'gzip'), 'response_too_large');
  });

  it('refuse broken gzip', async () => {
    const whole = gzipSync('{"keys":[]}');
    for (const broken of ['no gzip', whole.subarray(0, -1), whole.subarray(0, 12), Buffer.from([0x1f, 0x8b])]) {
      assert.equal(await answer(broken, 'gzip'), 'response_invalid');
    }
    assert.equal(await answer(whole, 'identity'), whole.length);
    assert.equal(await answer('', 'gzip'), 0);
  });

  it('a silent host blocks two fetches of an account, and none for another purpose, host or account', async () => {
    const ended = new AbortController();
    let silent = 0;
    internet.handle(({ headers }, res) => {
      if (headers.host?.startsWith('silent')) silent += 1;
      else res.end('here');
    });
    const ask = (purpose: EgressPurpose, url: string, accountId = 1) =>
      egress.fetch({ ...plain, purpose, url, accountId }, ended.signal);
    const silentUrl = (index: number) => `https://silent${index}.example.com/`;
    const held = Array.from({ length: 2 }, () => ask('request object', silentUrl(0)));
    const failureOf = async (asked: Promise<EgressResult>) => {
      const result = await asked;
      return result.ok ? null : result.failure;
    };
    for (const same of [silentUrl(0), 'https://SILENT0.example.com./other']) {
      assert.equal(await failureOf(ask('request object', same)), 'busy', same);
    }
    assert.equal(await failureOf(ask('request object', plain.url)), null, 'another host');
    for (let index = 2; index < 8; index += 1) held.push(ask('request object', silentUrl(index)));
    assert.equal(await failureOf(ask('request object', plain.url)), 'busy', 'the places of the account');
    for (const purpose of ['keys', 'list of redirect URIs', 'notice'] as const) {
      assert.equal(await failureOf(ask(purpose, plain.url)), null, purpose);
    }
    assert.equal(await failureOf(ask('request object', plain.url, 2)), null, 'another account');
    ended.abort();
    assert.deepEqual(await Promise.all(held.map(failureOf)), Array<string>(8).fill('timeout'));
    assert.ok(silent <= 8);
    const after = egress.fetch({ ...plain, purpose: 'request object' });
    assert.equal(await failureOf(after), null, 'every place is freed');
  });

  it('clients of open registration hold at most half of the places, one per host', async () => {
    const ended = new AbortController();
    internet.handle(({ headers }, res) => {
      if (!headers.host?.startsWith('silent')) res.end('here');
    });
    const ask = async (purpose: EgressPurpose, url: string, forOpenClient: boolean, accountId = 1) => {
      const result = await egress.fetch({ ...plain, purpose, url, accountId, forOpenClient }, ended.signal);
      return result.ok ? null : result.failure;
    };
    const silentUrl = (index: number) => `https://silent${index}.example.com/`;
    for (const purpose of ['keys', 'request object', 'list of redirect URIs'] as const) {
      const held = [ask(purpose, silentUrl(0), true)];
      assert.equal(await ask(purpose, silentUrl(0), true), 'busy', 'the place of the host');
      for (let index = 1; index < 4; index += 1) held.push(ask(purpose, silentUrl(index), true));
      assert.equal(await ask(purpose, plain.url, true), 'busy', 'the places of the account');
      for (let index = 4; index < 8; index += 1) assert.equal(await ask(purpose, silentUrl(index), true), 'busy');
      assert.equal(await ask(purpose, plain.url, false), null, 'a client of the operators');
      for (let account = 2; account < 9; account += 1) {
        for (let index = 0; index < 4; index += 1) held.push(ask(purpose, silentUrl(index), true, account));
      }
      assert.equal(await ask(purpose, plain.url, true, 9), 'busy', 'the places in all');
      assert.equal(await ask(purpose, plain.url, false, 9), null, 'a client of the operators of another account');
      held.push(ask(purpose, silentUrl(0), false));
      assert.equal(await ask(purpose, silentUrl(0), false), 'busy', 'two per host in all');
      assert.equal(held.length, 33);
    }
    ended.abort();
  });
});
