import type { components, operations } from '../../../generated/api-2.ts';
import { type Chain, readChain, verifyNextPart } from '../../domain/audit/verified.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { optionalTime } from './represent-user.ts';

type ChainOperations = Pick<operations, 'readEventChain' | 'verifyEventChain'>;

function represent(chain: Chain): components['schemas']['EventChain'] {
  return {
    events: chain.events,
    verified_events: chain.verifiedEvents,
    verified_at: optionalTime(chain.verifiedAt),
    first_bad: chain.firstBad,
    reached: chain.reached,
  };
}

export function eventChain(services: Pick<Services, 'store' | 'clock' | 'vault'>): Handlers<ChainOperations> {
  return {
    /** GET /api/2/events/chain */
    readEventChain: async ({ origin: { account } }, respond) =>
      respond(200, represent(await readChain(services, account))),

    /** POST /api/2/events/chain/verify */
    verifyEventChain: async ({ origin: { account } }, respond) =>
      respond(200, represent(await verifyNextPart(services, account))),
  };
}
