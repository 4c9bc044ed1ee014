/** The shares of a fair queue. */

import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { networkSourceOf, networksAround } from '../network-source.ts';

/** Whose share of a queue a request counts against. */
export interface Share {
  readonly accountId: number;
  /** Identifies the requester: a network address, an API caller. Compared as it is. */
  readonly source: string;
  /** The networks around the source, widest first: they take turns before their sources do. Default: none. */
  readonly networks?: readonly string[];
  /** Concurrent turns are limited per holder. Default: the source. */
  readonly holder?: string;
}

/**
 * The share of the attempt's source. Without a source it is the caller's share: an API caller has its own, so that
 * strangers behind the same address take nothing from it; all others share by address.
 */
export function shareOf({ id: accountId }: Pick<Account, 'id'>, source: string | null = null): Share {
  if (source !== null) return networkShare(accountId, source);
  const { actor, source: address } = currentAuditContext();
  const isCaller = actor?.type === 'credential' || actor?.type === 'API';
  if (isCaller) return { accountId, source: `${actor.type}/${actor.id}` };
  return address === null ? { accountId, source: actor?.type ?? 'nobody' } : networkShare(accountId, address);
}

function networkShare(accountId: number, address: string): Share {
  const source = networkSourceOf(address);
  return { accountId, source, networks: networksAround(source) };
}
