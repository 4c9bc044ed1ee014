/** Idempotency keys that a request has which is never answered. */

import assert from 'node:assert/strict';
import type { TestApp } from './app.ts';
import { readRows } from './rows.ts';

/** Claims a caller's key for the request that was kept last, as if another process were serving it. */
export async function holdKey({ services, account, url }: TestApp, caller: string, key: string): Promise<void> {
  const rows = (await readRows(url))['kept_answers'] as readonly Record<string, string | number>[];
  const [last] = rows.toSorted((one, other) => Number(other['created_at']) - Number(one['created_at']));
  assert.ok(last);
  const digest = services.vault.mac(account.record, 'idempotency key', `${caller} ${key}`).toString('base64url');
  const now = services.clock.now();
  const record = {
    accountId: account.id,
    digest,
    caller: String(last['caller']),
    requestDigest: String(last['request_digest']),
    claim: 'of another process',
    claimedUntil: now + 60_000,
    isDone: false,
    sealedAnswer: null,
    createdAt: now,
    expiresAt: now + 60_000,
  };
  assert.equal(await services.store.keptAnswers.claim(record, now), null);
}

/** The caller of a bearer token of an API credential, as its keys name it. */
export async function callerOf({ services, account }: TestApp, bearer: string): Promise<string> {
  const token = await services.store.callers.findToken(account.id, Number.parseInt(bearer.split('_')[1] ?? '', 36));
  return `credential ${token?.credentialId}`;
}
