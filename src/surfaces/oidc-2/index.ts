/**
 * The documented surface (the document's §4.1, §4.2): registration and refresh, with exactly the documented responses.
 */

import contract from '../../../generated/oidc-2.json' with { type: 'json' };
import type { operations } from '../../../generated/oidc-2.ts';
import type { Handlers } from '../../http/operation.ts';
import type { SurfaceDefinition } from '../../http/surface.ts';
import type { Services } from '../../services.ts';
import { failures } from './failures.ts';
import { refreshToken } from './refresh-token.ts';
import { registerClient } from './register-client.ts';

export function oidc2(services: Services): SurfaceDefinition<operations> {
  const handlers: Handlers<operations> = {
    registerClient: registerClient(services),
    refreshToken: refreshToken(services),
  };
  return {
    name: 'oidc-2',
    contract,
    handlers,
    failures,
    invalid: (operationId, pointer) => {
      if (operationId === 'refreshToken') return 'request_invalid';
      return pointer.startsWith('/body/redirect_uris') ? 'redirect_uri_invalid' : 'client_metadata_invalid';
    },
  };
}
