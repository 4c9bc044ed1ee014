/** Mapping between columns and fields of API authorization servers and their parts. */

import type {
  AuthorizationServerRecord,
  ServerClaimRecord,
  ServerLinkRecord,
  ServerScopeRecord,
} from '../authorization-servers.ts';
import { flag, json, shape } from './shape.ts';

export const servers = shape<AuthorizationServerRecord>('authorization_servers', 'id', {
  accountId: 'account_id',
  id: 'id',
  name: 'name',
  description: 'description',
  resourceIdentifier: 'resource_identifier',
  audiences: json('audiences'),
  accessTokenMinutes: 'access_token_minutes',
  refreshTokenMinutes: 'refresh_token_minutes',
  clientAccess: 'client_access',
  resourceMetadata: flag('resource_metadata'),
  createdAt: 'created_at',
  updatedAt: 'updated_at',
});

export const serverScopes = shape<ServerScopeRecord>('authorization_server_scopes', 'id', {
  accountId: 'account_id',
  serverId: 'server_id',
  id: 'id',
  value: 'value',
  description: 'description',
  open: flag('is_open'),
  createdAt: 'created_at',
});

export const serverClaims = shape<ServerClaimRecord>('authorization_server_claims', 'id', {
  accountId: 'account_id',
  serverId: 'server_id',
  id: 'id',
  label: 'label',
  attribute: 'attribute',
  macro: 'macro',
  createdAt: 'created_at',
});

export const serverLinks = shape<ServerLinkRecord>('authorization_server_clients', null, {
  accountId: 'account_id',
  serverId: 'server_id',
  appId: 'app_id',
  scopeIds: json('scope_ids'),
  linkedAt: 'linked_at',
});
