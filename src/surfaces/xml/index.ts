/** Users as XML, deprecated: the oldest API for the users of an account. */

import contract from '../../../generated/xml.json' with { type: 'json' };
import type { operations } from '../../../generated/xml.ts';
import { recordRefusal } from '../../domain/callers/record-refusal.ts';
import type { SurfaceDefinition } from '../../http/surface.ts';
import type { Services } from '../../services.ts';
import { failures } from './failures.ts';
import { users } from './users.ts';

export function xml(services: Services): SurfaceDefinition<operations> {
  return {
    name: 'xml',
    contract,
    handlersOf: users,
    looksAgain: true,
    failures,
    mediaType: 'application/xml',
    codec: 'xml',
    limit: 'xml',
    onRefusal: (failure, operation, account) => recordRefusal(services, account, operation, failure),
    invalid: (_operation, pointer) => {
      // An impossible id is an unknown one.
      if (pointer.startsWith('/params')) return 'not_found';
      return pointer.startsWith('/body') ? 'value_invalid' : 'request_invalid';
    },
  };
}
