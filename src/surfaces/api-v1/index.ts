/** Delegated authentication, deprecated: another program's sign-in form checks whether a password is right. */

import contract from '../../../generated/api-v1.json' with { type: 'json' };
import type { operations } from '../../../generated/api-v1.ts';
import type { Handlers } from '../../http/operation.ts';
import type { SurfaceDefinition } from '../../http/surface.ts';
import type { Services } from '../../services.ts';
import { authenticateDelegated } from './authenticate-delegated.ts';
import { failures } from './failures.ts';

function handlersOf(services: Services): Handlers<operations> {
  return { authenticateDelegated: authenticateDelegated(services) };
}

export const apiV1: SurfaceDefinition<operations> = {
  name: 'api-v1',
  contract,
  handlersOf,
  failures,
  mediaType: 'application/xml',
  limit: 'delegated',
};
