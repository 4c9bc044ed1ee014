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

function handlersOf(services: Services): Handlers<operations> {
  return {
    registerClient: registerClient(services),
    refreshToken: refreshToken(services),
  };
}

export const oidc2: SurfaceDefinition<operations> = {
  name: 'oidc-2',
  contract,
  handlersOf,
  failures,
  invalid: (operationId, pointer) => {
    if (operationId === 'refreshToken') return 'request_invalid';
    return pointer.startsWith('/body/redirect_uris') ? 'redirect_uri_invalid' : 'client_metadata_invalid';
  },
};
