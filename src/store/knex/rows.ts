/** Mapping between columns and fields. */

import type { AccountRecord } from '../accounts.ts';
import type { AuthorizationRequestRecord, CodeRecord, PushedRequestRecord } from '../authorizations.ts';
import type { ApiKeyRecord, CredentialRecord, CredentialTokenRecord } from '../callers.ts';
import type { AccessTokenRecord, GrantRecord } from '../grants.ts';
import type { SigningKeyRecord } from '../keys.ts';
import type { InviteLinkRecord } from '../password-links.ts';
import type { RoleRecord } from '../roles.ts';
import type { SessionRecord } from '../sessions.ts';
import { json, shape } from './shape.ts';

/** Without the hosts, which have a table of their own. */
export const accounts = shape<Omit<AccountRecord, 'hosts'>>('accounts', 'id', {
  id: 'id',
  subdomain: 'subdomain',
  name: 'name',
  baseUrl: 'base_url',
  settings: json('settings'),
  sealedKey: 'sealed_key',
  createdAt: 'created_at',
});

export const signingKeys = shape<SigningKeyRecord>('signing_keys', null, {
  accountId: 'account_id',
  kid: 'kid',
  alg: 'alg',
  publicJwk: 'public_jwk',
  sealedPrivateKey: 'sealed_private_key',
  publishedAt: 'published_at',
  signsFrom: 'signs_from',
  retiresAt: 'retires_at',
});

export const credentials = shape<CredentialRecord>('credentials', 'id', {
  accountId: 'account_id',
  id: 'id',
  clientId: 'client_id',
  secretDigest: 'secret_digest',
  scopes: json('scopes'),
  createdAt: 'created_at',
  revokedAt: 'revoked_at',
});

export const credentialTokens = shape<CredentialTokenRecord>('credential_tokens', 'id', {
  accountId: 'account_id',
  id: 'id',
  digest: 'digest',
  credentialId: 'credential_id',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
  revokedAt: 'revoked_at',
});

export const apiKeys = shape<ApiKeyRecord>('api_keys', 'id', {
  accountId: 'account_id',
  id: 'id',
  name: 'name',
  digest: 'digest',
  createdAt: 'created_at',
  revokedAt: 'revoked_at',
});

export { customAttributes, tokenUsers, userDetails, userKeys, users } from './user-rows.ts';

export const roles = shape<RoleRecord>('roles', 'id', {
  accountId: 'account_id',
  id: 'id',
  name: 'name',
  policyId: 'policy_id',
  createdAt: 'created_at',
});

export { appDetails, clientAssertions, clientOwnership, clients, tokenClients } from './client-rows.ts';

export const sessions = shape<SessionRecord>('sessions', 'id', {
  accountId: 'account_id',
  id: 'id',
  digest: 'digest',
  sid: 'sid',
  userId: 'user_id',
  amr: json('amr'),
  authenticatedAt: 'authenticated_at',
  lastSeenAt: 'last_seen_at',
  idleMilliseconds: 'idle_milliseconds',
  expiresAt: 'expires_at',
  source: 'source',
  userAgent: 'user_agent',
});

export const authorizationRequests = shape<AuthorizationRequestRecord>('authorization_requests', null, {
  accountId: 'account_id',
  digest: 'digest',
  browserDigest: 'browser_digest',
  appId: 'app_id',
  parameters: json('parameters'),
  authenticatedAt: 'authenticated_at',
  sid: 'sid',
  decision: 'decision',
  decidedBy: 'decided_by',
  passwordUserId: 'password_user_id',
  passwordCheckedAt: 'password_checked_at',
  hookPolicyId: 'hook_policy_id',
  hookPolicyUserId: 'hook_policy_user_id',
  hookTraits: json('hook_traits'),
  methods: json('methods'),
  createdAt: 'created_at',
  expiresAt: 'expires_at',
});

export const pushedRequests = shape<PushedRequestRecord>('pushed_requests', null, {
  accountId: 'account_id',
  digest: 'digest',
  appId: 'app_id',
  parameters: json('parameters'),
  expiresAt: 'expires_at',
});

export const codes = shape<CodeRecord>('codes', null, {
  accountId: 'account_id',
  digest: 'digest',
  appId: 'app_id',
  userId: 'user_id',
  sid: 'sid',
  amr: json('amr'),
  authenticatedAt: 'authenticated_at',
  parameters: json('parameters'),
  createdAt: 'created_at',
  expiresAt: 'expires_at',
  usedAt: 'used_at',
  grantId: 'grant_id',
});

export const inviteLinks = shape<InviteLinkRecord>('invite_links', null, {
  accountId: 'account_id',
  userId: 'user_id',
  digest: 'digest',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
  usedAt: 'used_at',
  meansVersion: 'means_version',
});

export const grants = shape<GrantRecord>('grants', 'id', {
  accountId: 'account_id',
  id: 'id',
  appId: 'app_id',
  userId: 'user_id',
  serverId: 'server_id',
  sid: 'sid',
  scope: json('scope'),
  nonce: 'nonce',
  amr: json('amr'),
  authenticatedAt: 'authenticated_at',
  currentDigest: 'current_digest',
  previousDigest: 'previous_digest',
  successorSalt: 'successor_salt',
  rotatedAt: 'rotated_at',
  generation: 'generation',
  idleExpiresAt: 'idle_expires_at',
  absoluteExpiresAt: 'absolute_expires_at',
  revokedAt: 'revoked_at',
  revokedBecause: 'revoked_because',
  createdAt: 'created_at',
});

export const accessTokens = shape<AccessTokenRecord>('access_tokens', 'id', {
  accountId: 'account_id',
  id: 'id',
  digest: 'digest',
  grantId: 'grant_id',
  appId: 'app_id',
  userId: 'user_id',
  scope: json('scope'),
  issuedAt: 'issued_at',
  expiresAt: 'expires_at',
  revokedAt: 'revoked_at',
});
