/**
 * Decides whose requests make room when the queue is full. Accounts take turns, so a network that sends requests to
 * many accounts gets a share of each. Therefore its requests to all accounts are counted together.
 */

import { drawLate } from './order.ts';

interface Request {
  readonly account: object;
  /** The networks around the source, widest first, then the source itself. */
  readonly names: readonly string[];
}

/**
 * Finds the largest crowd among requests in order of arrival: the requests of one account. If one network has more
 * requests than any account, it is the largest crowd among that network's, and so on down to the source.
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
