/** The standard surface: OAuth 2 and OpenID Connect as in the RFCs, on the same domain as the documented one. */

import contract from '../../../generated/oauth2.json' with { type: 'json' };
import type { operations } from '../../../generated/oauth2.ts';
import type { Handlers } from '../../http/operation.ts';
import type { SurfaceDefinition } from '../../http/surface.ts';
import type { Services } from '../../services.ts';
import { requestAuthorization, requestAuthorizationByForm } from './authorize.ts';
import { beginDeviceAuthorization } from './begin-device.ts';
import { endSession, endSessionByForm } from './end-session.ts';
import { failures, isBrowsed } from './failures.ts';
import { introspectToken } from './introspect-token.ts';
import { issueToken } from './issue-token.ts';
import { deleteClient, readClient, replaceClient } from './own-registration.ts';
import { pushAuthorizationRequest } from './push-request.ts';
import { readKeys } from './read-keys.ts';
import { readAuthorizationServerMetadata, readOpenIdConfiguration } from './read-metadata.ts';
import { readResourceMetadata } from './read-resource-metadata.ts';
import { readUserinfo, readUserinfoByForm } from './read-userinfo.ts';
import { registerClient } from './register-client.ts';
import { revokeToken } from './revoke-token.ts';

function handlersOf(services: Services): Handlers<operations> {
  return {
    readOpenIdConfiguration: readOpenIdConfiguration(services),
    readAuthorizationServerMetadata: readAuthorizationServerMetadata(services),
    readKeys: readKeys(services),
    readResourceMetadata: readResourceMetadata(services),
    registerClient: registerClient(services),
    readClient: readClient(services),
    replaceClient: replaceClient(services),
    deleteClient: deleteClient(services),
    requestAuthorization: requestAuthorization(services),
    requestAuthorizationByForm: requestAuthorizationByForm(services),
    pushAuthorizationRequest: pushAuthorizationRequest(services),
    beginDeviceAuthorization: beginDeviceAuthorization(services),
    endSession: endSession(services),
    endSessionByForm: endSessionByForm(services),
    issueToken: issueToken(services),
    readUserinfo: readUserinfo(services),
    readUserinfoByForm: readUserinfoByForm(services),
    introspectToken: introspectToken(services),
    revokeToken: revokeToken(services),
  };
}

export const oauth2: SurfaceDefinition<operations> = {
  name: 'oauth2',
  contract,
  handlersOf,
  failures,
  isShown: isBrowsed,
  invalid: (operationId, pointer) => {
    const isMetadata = operationId === 'registerClient' || operationId === 'replaceClient';
    if (!isMetadata || !pointer.startsWith('/body')) return 'request_invalid';
    return pointer.startsWith('/body/redirect_uris') ? 'redirect_uri_invalid' : 'client_metadata_invalid';
  },
};
