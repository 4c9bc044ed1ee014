/** The signing keys of the accounts, and the clock that says which of them sign. */

import { systemClock } from '../adapters/clock.ts';
import type { Account } from '../domain/accounts/account.ts';
import { keyAlgorithms, listKeys } from '../domain/keys/signing-keys.ts';
import type { Store } from '../store/store.ts';
import { degraded, type Finding, failed, ok } from './finding.ts';

export async function examineKeys(store: Store, accounts: readonly Account[]): Promise<Finding[]> {
  const clock = systemClock;
  const now = clock.now();
  let newest = 0;
  const without: string[] = [];
  for (const account of accounts) {
    const keys = await listKeys({ store, clock }, account);
    const signing = keyAlgorithms.filter((alg) => keys.some((key) => key.alg === alg && key.state === 'signing'));
    if (signing.length < keyAlgorithms.length) without.push(account.subdomain);
    newest = Math.max(newest, account.record.createdAt, ...keys.map(({ publishedAt }) => publishedAt));
  }
  const keys =
    without.length === 0
      ? ok(
          'signing keys',
          `${accounts.length === 1 ? '1 account' : `${accounts.length} accounts, each`} with ${keyAlgorithms.join(' and ')}`,
        )
      : failed(
          'signing keys',
          `missing in ${without.join(', ')}`,
          `gatehouse keys rotate --emergency --account ${without[0]}`,
        );
  const time = new Date(now).toISOString();
  const behind = newest > now;
  return [
    keys,
    behind
      ? degraded('clock', `${time}, before the newest record`, 'set the clock of this machine')
      : ok('clock', time),
  ];
}
