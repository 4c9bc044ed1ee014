/** What is cleared with a removed object, table by table. */

import type { Reference, Removable } from './removed.ts';

/** Tables with the columns that reference the removed object, and the rest of their keys without the account. */
export const clearedTables = {
  user: [
    ['codes', 'user_id', ['digest']],
    ['grants', 'user_id', ['id']],
    ['app_users', 'user_id', ['app_id', 'user_id']],
    ['role_users', 'user_id', ['user_id', 'role_id']],
    ['role_admins', 'user_id', ['user_id', 'role_id']],
    ['consents', 'user_id', ['user_id', 'app_id']],
    ['user_attributes', 'user_id', ['user_id', 'attribute_id']],
    ['sessions', 'user_id', ['id']],
    ['console_grants', 'user_id', ['digest']],
    ['device_codes', 'user_id', ['digest']],
    ['factor_verifications', 'user_id', ['id']],
    ['password_resets', 'user_id', ['digest']],
  ],
  app: [
    ['codes', 'app_id', ['digest']],
    ['grants', 'app_id', ['id']],
    ['app_users', 'app_id', ['app_id', 'user_id']],
    ['app_roles', 'app_id', ['app_id', 'role_id']],
    ['consents', 'app_id', ['user_id', 'app_id']],
    ['device_codes', 'app_id', ['digest']],
    ['pushed_requests', 'app_id', ['digest']],
    ['authorization_requests', 'app_id', ['digest']],
    ['client_assertions', 'app_id', ['app_id', 'digest']],
    ['session_apps', 'app_id', ['sid', 'app_id']],
    ['logout_notices', 'app_id', ['id']],
    ['authorization_server_clients', 'app_id', ['server_id', 'app_id']],
    ['open_server_clients', 'app_id', ['server_id', 'app_id']],
  ],
  role: [
    ['app_roles', 'role_id', ['app_id', 'role_id']],
    ['role_admins', 'role_id', ['user_id', 'role_id']],
  ],
  attribute: [['user_attributes', 'attribute_id', ['user_id', 'attribute_id']]],
  api: [
    ['authorization_server_scopes', 'server_id', ['id']],
    ['authorization_server_claims', 'server_id', ['id']],
  ],
} as const satisfies Readonly<Record<Removable, readonly (readonly [string, Reference, readonly string[]])[]>>;
