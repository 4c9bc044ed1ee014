/** Tokens for API credentials: with them, programs call the management API and register clients. */

import contract from '../../../generated/auth-2.json' with { type: 'json' };
import type { operations } from '../../../generated/auth-2.ts';
import type { Handlers } from '../../http/operation.ts';
import type { SurfaceDefinition } from '../../http/surface.ts';
import type { Services } from '../../services.ts';
import { failures } from './failures.ts';
import { issueCredentialToken } from './issue-credential-token.ts';
import { readRateLimit } from './read-rate-limit.ts';
import { revokeCredentialToken } from './revoke-credential-token.ts';

function handlersOf(services: Services): Handlers<operations> {
  return {
    issueCredentialToken: issueCredentialToken(services),
    revokeCredentialToken: revokeCredentialToken(services),
    readRateLimit: readRateLimit(services),
  };
}

export const auth2: SurfaceDefinition<operations> = { name: 'auth-2', contract, handlersOf, failures };
