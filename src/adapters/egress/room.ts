/** Places for concurrent requests. */

import type { EgressRequest } from '../../domain/egress.ts';

/** Open-registered clients have half of each of them. */
export interface Places {
  readonly inAll: number;
  readonly ofAccount: number;
  /** Places of an account for one host; default: as many as the account has. */
  readonly ofHost?: number;
}

/**
 * Counts requests under way. `enter` takes a place and returns the function that leaves it; null when there is no room.
 */
export function createRoom({ inAll, ofAccount, ofHost = ofAccount }: Places) {
  const taken = new Map<string, number>();
  return {
    enter({
      accountId,
      url,
      forOpenClient,
    }: Pick<EgressRequest, 'accountId' | 'url' | 'forOpenClient'>): (() => void) | null {
      const host = URL.parse(url)?.hostname.replace(/\.$/, '') ?? '';
      const all: readonly (readonly [name: string, most: number])[] = [
        ['', inAll],
        [`${accountId}`, ofAccount],
        [`${accountId} ${host}`, ofHost],
      ];
      const halves = forOpenClient ? all.map(([name, most]) => [`open ${name}`, Math.ceil(most / 2)] as const) : [];
      const places = [...all, ...halves];
      if (places.some(([name, most]) => (taken.get(name) ?? 0) >= most)) return null;
      for (const [name] of places) taken.set(name, (taken.get(name) ?? 0) + 1);
      return () => {
        for (const [name] of places) {
          const left = (taken.get(name) ?? 0) - 1;
          if (left > 0) taken.set(name, left);
          else taken.delete(name);
        }
      };
    },
  };
}
