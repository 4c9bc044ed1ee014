/** Which of a client's keys are tried on a JWT's signature: few, however many the client published. */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { readClientJwt } from '../../../src/domain/clients/client-jwt.ts';
import { assertionAlgorithms } from '../../../src/domain/clients/client-keys.ts';
import type { ClientKey } from '../../../src/store/client-metadata.ts';
import type { ClientRecord } from '../../../src/store/clients.ts';
import { sign, type TestKey, testKey } from '../../support/assertions.ts';
import { testClock } from '../../support/services.ts';

describe("the keys used to verify a client's JWT", () => {
  const all: TestKey[] = [];
  let other: TestKey;
  before(async () => {
    for (let index = 0; index < 6; index += 1) all.push(await testKey('ES256', `key ${index}`));
    other = await testKey('RS256', 'another kind');
  });

  /** Whether a JWT of a key is read where the client has `keys`, by value and at an address. */
  async function isRead(key: TestKey, keys: readonly object[], kid: string | undefined): Promise<boolean> {
    const at = { account: { baseUrl: 'https://one.example' }, services: { clock: testClock() } } as never;
    const text = await sign(at, 'c', key, { header: { kid } as object });
    const read = async (extra: object) => {
      const client = { accountId: 1, clientId: 'c', registeredBy: 'token', extra } as unknown as ClientRecord;
      const clientKeys = { read: async () => keys as readonly ClientKey[] };
      const rules = { types: ['jwt'], algorithms: assertionAlgorithms, algorithm: undefined, claims: {} };
      return 'payload' in (await readClientJwt({ clientKeys }, client, text, rules));
    };
    const [byValue, byAddress] = [await read({ jwks: { keys } }), await read({ jwks_uri: 'https://c.example/keys' })];
    assert.equal(byValue, byAddress);
    return byValue;
  }
  const bare = (key: TestKey, more: object = {}) => {
    const { kid, ...rest } = key.jwk;
    return { ...rest, ...more };
  };
  const at = (index: number) => all[index] as TestKey;

  test('without a kid are the first five that match its algorithm', async () => {
    const keys = [...Array.from({ length: 9 }, () => bare(other)), ...all.map((key) => bare(key))];
    assert.deepEqual([await isRead(at(4), keys, undefined), await isRead(at(5), keys, undefined)], [true, false]);
    const unfit = all.slice(0, 5).map((key) => bare(key, { alg: 'RS256' }));
    assert.equal(await isRead(at(5), [...unfit, bare(at(5))], undefined), true);
  });

  test('with a kid are up to five keys with that kid, at any position', async () => {
    const keys = all.map(({ jwk }) => jwk);
    assert.equal(await isRead(at(5), keys, 'key 5'), true);
    assert.equal(await isRead(at(5), keys, 'key 4'), false);
    const unnamed = all.slice(0, 5).map((key) => bare(key));
    assert.equal(await isRead(at(5), [...unnamed, at(5).jwk], 'key 5'), true, 'before keys without a kid');
    const same = all.map((key) => bare(key, { kid: 'same' }));
    assert.deepEqual([await isRead(at(4), same, 'same'), await isRead(at(5), same, 'same')], [true, false]);
  });
});
