import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EgressRequest } from '../../src/domain/egress.ts';
import { createGuestFetch } from '../../src/hook-runner/guest-fetch.ts';

const asked = { accountId: 1, url: 'https://a.b/', method: 'POST', headers: [], redirect: 'follow' } as const;

test('a function learns the kind of a refusal, and nothing about the target', async () => {
  const { signal } = new AbortController();
  const refusal = async (failure: 'address_forbidden' | 'name_unresolved' | 'tls_failed') =>
    createGuestFetch({ fetch: async () => ({ ok: false, failure }) })({ ...asked, body: null }, signal);
  assert.deepEqual(await refusal('address_forbidden'), { refused: 'forbidden' });
  assert.deepEqual(await refusal('name_unresolved'), { refused: 'unreachable' });
  assert.deepEqual(await refusal('tls_failed'), { refused: 'unreachable' });
});

test('a body that is part of a larger buffer is sent without the rest', async () => {
  const seen: EgressRequest[] = [];
  const fetch = createGuestFetch({
    fetch: async (request) => {
      seen.push(request);
      return { ok: false, failure: 'busy' };
    },
  });
  const body = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
  assert.deepEqual(await fetch({ ...asked, body }, new AbortController().signal), { refused: 'rate_limited' });
  assert.deepEqual([...(seen[0]?.body ?? [])], [2, 3]);
});
