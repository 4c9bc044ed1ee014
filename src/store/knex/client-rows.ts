/** Mapping between columns and fields of clients. */

import type { AppDetails, AssertionRecord, ClientOwnership, ClientRecord, TokenClient } from '../clients.ts';
import type { DeviceCodeRecord } from '../device-codes.ts';
import type { NoticeRecord } from '../notices.ts';
import { flag, json, shape } from './shape.ts';

const clientOfTokens = {
  accountId: 'account_id',
  appId: 'app_id',
  clientId: 'client_id',
  linkedServers: 'linked_servers',
  sector: 'sector',
} as const;

export const tokenClients = shape<TokenClient>('clients', 'appId', clientOfTokens);

export const clients = shape<ClientRecord>('clients', 'appId', {
  ...clientOfTokens,
  secretDigest: 'secret_digest',
  name: 'name',
  applicationType: 'application_type',
  redirectUris: json('redirect_uris'),
  postLogoutRedirectUris: json('post_logout_redirect_uris'),
  grantTypes: json('grant_types'),
  responseTypes: json('response_types'),
  authMethod: 'auth_method',
  authMethodNamed: flag('auth_method_named'),
  subjectType: 'subject_type',
  idTokenAlg: 'id_token_alg',
  scope: json('scope'),
  usesOpenServers: flag('uses_open_servers'),
  extra: json('extra'),
  registeredBy: 'registered_by',
  policyId: 'policy_id',
  accessTokenMinutes: 'access_token_minutes',
  refreshTokenMinutes: 'refresh_token_minutes',
  createdAt: 'created_at',
  previousSecretDigest: 'previous_secret_digest',
  previousSecretExpiresAt: 'previous_secret_expires_at',
});

export const clientOwnership = shape<ClientOwnership>('clients', null, {
  registrationTokenDigest: 'registration_token_digest',
});

export const logoutNotices = shape<NoticeRecord>('logout_notices', 'id', {
  accountId: 'account_id',
  id: 'id',
  appId: 'app_id',
  subject: 'subject',
  sid: 'sid',
  host: 'host',
  registeredBy: 'registered_by',
  attempts: 'attempts',
  dueAt: 'due_at',
});

export const clientAssertions = shape<AssertionRecord>('client_assertions', null, {
  accountId: 'account_id',
  appId: 'app_id',
  isProof: flag('is_proof'),
  digest: 'digest',
  expiresAt: 'expires_at',
});

export const appDetails = shape<AppDetails>('clients', null, {
  connectorId: 'connector_id',
  description: 'description',
  notes: 'notes',
  visible: flag('visible'),
  updatedAt: 'updated_at',
});

export const deviceCodes = shape<DeviceCodeRecord>('device_codes', null, {
  accountId: 'account_id',
  digest: 'digest',
  userCodeDigest: 'user_code_digest',
  appId: 'app_id',
  scope: json('scope'),
  serverId: 'server_id',
  intervalSeconds: 'interval_seconds',
  nextPollAt: 'next_poll_at',
  decision: 'decision',
  userId: 'user_id',
  amr: json('amr'),
  authenticatedAt: 'authenticated_at',
  sid: 'sid',
  decidedAt: 'decided_at',
  apiScopes: json('api_scopes'),
  createdAt: 'created_at',
  expiresAt: 'expires_at',
});
