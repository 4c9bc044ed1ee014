/** Delegated authentication, deprecated: another program's sign-in form checks whether a password is right. */

import contract from '../../../generated/api-v1.json' with { type: 'json' };
import type { operations } from '../../../generated/api-v1.ts';
import type { Handlers } from '../../http/operation.ts';
import type { SurfaceDefinition } from '../../http/surface.ts';
import type { Services } from '../../services.ts';
import { authenticateDelegated } from './authenticate-delegated.ts';
import { failures } from './failures.ts';

export function apiV1(services: Services): SurfaceDefinition<operations> {
  const handlers: Handlers<operations> = { authenticateDelegated: authenticateDelegated(services) };
  return { name: 'api-v1', contract, handlers, failures, mediaType: 'application/xml', limit: 'delegated' };
}
