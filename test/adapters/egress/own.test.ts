import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createOwnEgress } from '../../../src/adapters/egress/policies.ts';
import type { Egress, EgressRequest } from '../../../src/domain/egress.ts';
import { type Internet, openInternet } from '../../support/internet.ts';

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
    egress = createOwnEgress({ public: true, hosts: [], isOwnHost: () => false }, internet.network);
  });
  after(() => internet.close());

  async function answer(body: Buffer | string, coding: string) {
    internet.handle((_, res) => res.writeHead(200, { 'content-encoding': coding }).end(body));
    const result = await egress.fetch(plain);
    return result.ok ? result.response.body.length : result.failure;
  }

  it('ask for gzip alone, and read it up to the same size after decoding', async () => {
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

  it('read no gzip that is broken', async () => {
    const whole = gzipSync('{"keys":[]}');
    for (const broken of ['no gzip', whole.subarray(0, -1), whole.subarray(0, 12), Buffer.from([0x1f, 0x8b])]) {
      assert.equal(await answer(broken, 'gzip'), 'response_invalid');
    }
    assert.equal(await answer(whole, 'identity'), whole.length);
    assert.equal(await answer('', 'gzip'), 0);
  });
});
