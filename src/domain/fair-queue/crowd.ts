/**
 * Whose requests make room when the queue is full. Accounts take turns, so a network that asks in many accounts has a
 * share of each: what it asks for in all of them counts together.
 */

import { drawLate } from './order.ts';

interface Request {
  readonly account: object;
  /** Of the networks around its source, the widest first, and of the source as the last. */
  readonly names: readonly string[];
}

/**
 * Of requests in order of arrival the largest crowd: those of one account. Where one network has more than any account,
 * it is the largest among those of that network, and so on down to the source.
 */
export function findCrowd<One extends Request>(
  requests: readonly One[],
  random: () => number,
  level = 0,
): readonly One[] {
  const ofAccount = largest(requests, random, ({ account }) => account);
  const inNetworks = requests.filter(({ names }) => level < names.length);
  const ofNetwork = largest(inNetworks, random, ({ names }) => names[level]);
  return ofNetwork.length > ofAccount.length ? findCrowd(ofNetwork, random, level + 1) : ofAccount;
}

function largest<One>(requests: readonly One[], random: () => number, of: (one: One) => unknown): readonly One[] {
  const groups = [...Map.groupBy(requests, of).values()];
  const most = Math.max(...groups.map(({ length }) => length));
  const equals = groups.filter(({ length }) => length === most);
  return drawLate(equals, random) ?? [];
}
