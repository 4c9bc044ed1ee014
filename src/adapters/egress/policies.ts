/** What may be requested, and how much, for each purpose. */

import { type Egress, type EgressPurpose, mostDocumentBytes } from '../../domain/egress.ts';
import type { Network } from './connect.ts';
import { createEgress, type EgressPolicy } from './index.ts';
import type { Places } from './room.ts';

type Where = Pick<EgressPolicy, 'public' | 'hosts' | 'isOwnHost'>;

const kibibyte = 1024;

/** A hook's function has one second in all. Its responses are decoded in its own process. */
export function createHookEgress(where: Where, network?: Network, timeoutMilliseconds = 800): Egress {
  const policy: EgressPolicy = {
    ...where,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    mostRequestBytes: 64 * kibibyte,
    mostResponseBytes: kibibyte * kibibyte,
    leavesCoded: true,
    mostRedirects: 3,
    timeoutMilliseconds,
    mostAtOnce: { ofAccount: 32, inAll: 256 },
  };
  return createEgress(policy, network);
}

/**
 * The responses that the service reads itself are small: a set of keys, a list of addresses, the answer to a notice.
 * Each purpose has its own places, so a silent host only delays requests of the same kind.
 */
export function createOwnEgress(where: Where, network?: Network, timeoutMilliseconds = 3_000): Egress {
  const withPlaces = (mostAtOnce: Places, mostResponseBytes = 256 * kibibyte) => {
    const policy: EgressPolicy = {
      ...where,
      methods: ['GET', 'POST'],
      mostRequestBytes: 64 * kibibyte,
      mostResponseBytes,
      mostRedirects: 3,
      timeoutMilliseconds,
      mostAtOnce,
    };
    return createEgress(policy, network);
  };
  const fetches: Places = { inAll: 64, ofAccount: 8, ofHost: 2 };
  const of: Readonly<Record<EgressPurpose, Egress>> = {
    keys: withPlaces(fetches),
    'client metadata': withPlaces({ ...fetches, ofAccount: 16 }, mostDocumentBytes),
    'request object': withPlaces(fetches),
    'list of redirect URIs': withPlaces(fetches),
    notice: withPlaces({ inAll: 64, ofAccount: 8 }),
  };
  return { fetch: (request, signal) => of[request.purpose ?? 'notice'].fetch(request, signal) };
}

/** The limits of requests for packages. */
interface RegistryBounds {
  readonly answerBytes: number;
  readonly requestMilliseconds: number;
  readonly requestsAtOnce: number;
}

/**
 * For the packages of hooks: only the registry that the operator set, which may be in a private network. The requester
 * refuses redirects.
 */
export function createRegistryEgress(registry: string, bounds: RegistryBounds, network?: Network): Egress {
  const { protocol, hostname, port } = new URL(registry);
  const scheme = protocol === 'http:' ? 'http' : 'https';
  const host = {
    scheme,
    hostname: hostname.replace(/\.$/, ''),
    port: Number(port || (scheme === 'http' ? 80 : 443)),
  } as const;
  const policy: EgressPolicy = {
    public: false,
    hosts: [host],
    isOwnHost: () => false,
    methods: ['GET'],
    mostRequestBytes: 0,
    mostResponseBytes: bounds.answerBytes,
    mostRedirects: 0,
    timeoutMilliseconds: bounds.requestMilliseconds,
    // In addition to a build's requests, those made when a hook is written.
    mostAtOnce: { ofAccount: bounds.requestsAtOnce + 32, inAll: bounds.requestsAtOnce + 32 },
  };
  return createEgress(policy, network);
}
