/** What may be asked, and how much, for whom. */

import type { Egress } from '../../domain/egress.ts';
import type { Network } from './connect.ts';
import { createEgress, type EgressPolicy } from './index.ts';

type Where = Pick<EgressPolicy, 'public' | 'hosts' | 'isOwnHost'>;

const kibibyte = 1024;

/** A function of a hook has a second in all. What it fetches is decoded in its own process. */
export function createHookEgress(where: Where, network?: Network): Egress {
  const policy: EgressPolicy = {
    ...where,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    mostRequestBytes: 64 * kibibyte,
    mostResponseBytes: kibibyte * kibibyte,
    leavesCoded: true,
    mostRedirects: 3,
    timeoutMilliseconds: 800,
    mostAtOnce: { ofAccount: 32, inAll: 256 },
  };
  return createEgress(policy, network);
}

/** What the service reads itself is small: a set of keys, a list of addresses, the answer to a notice. */
export function createOwnEgress(where: Where, network?: Network): Egress {
  const policy: EgressPolicy = {
    ...where,
    methods: ['GET', 'POST'],
    mostRequestBytes: 64 * kibibyte,
    mostResponseBytes: 256 * kibibyte,
    mostRedirects: 3,
    timeoutMilliseconds: 3_000,
    mostAtOnce: { ofAccount: 8, inAll: 64 },
  };
  return createEgress(policy, network);
}
