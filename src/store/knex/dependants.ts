/**
 * What depends on the rows of each table: rows of other tables that a write of it changes as well, in its transaction.
 * This replaces triggers, which a distributed database does not run. Every table is listed: the store writes to no other.
 */

import { Failure } from '../../domain/failure.ts';
import type { DbRow } from './shape.ts';
import { countedBy } from './user-counts.ts';

export type Operation = 'insert' | 'update' | 'delete';

/**
 * The account's `generation`, under which rows are kept in memory (cached.ts); the `linked_servers` of clients; the
 * default policy of a new account; how many users an account has (user-counts.ts).
 */
export type Dependant = 'generation' | 'linked_servers' | 'default_policy' | 'user_count';

interface Effect {
  readonly on: Dependant;
  /** For an update: only if it sets one of these columns. */
  readonly columns?: readonly string[];
  /** For an insert: only if it adds such a row. */
  readonly rows?: (row: DbRow) => boolean;
}

type Effects = { readonly [On in Operation]?: Effect };

const generation: Effect = { on: 'generation' };
const none: Effects = {};
const always: Effects = { insert: generation, update: generation, delete: generation };

/** That nobody has agreed to such a client yet is kept in memory; that there is no other client is not. */
const hasDocument = ({ client_id: clientId }: DbRow) => typeof clientId === 'string' && clientId.startsWith('https://');

export const dependants = {
  accounts: {
    insert: { on: 'default_policy' },
    update: { on: 'generation', columns: ['subdomain', 'name', 'base_url', 'settings', 'sealed_key'] },
  },
  account_hosts: always,
  signing_keys: always,
  policies: always,
  hooks: always,
  hook_variables: always,
  clients: { insert: { on: 'generation', rows: hasDocument }, update: generation, delete: generation },
  // Nothing is linked to a new one. What is left of an old one goes with its row, past the store.
  authorization_servers: { update: generation, delete: generation },
  authorization_server_scopes: always,
  authorization_server_claims: always,
  // A count changes the client's row, and with it the generation.
  authorization_server_clients: {
    insert: { on: 'linked_servers' },
    update: generation,
    delete: { on: 'linked_servers' },
  },
  package_builds: { update: { on: 'generation', columns: ['state'] } },
  // A row is deleted when its user has long been removed, which an update says.
  users: {
    insert: { on: 'user_count', rows: ({ counted }) => counted === countedBy.statement.counted },
    update: { on: 'user_count', columns: ['counted'] },
  },

  access_tokens: none,
  administrators: none,
  api_keys: none,
  app_roles: none,
  account_counts: none,
  app_users: none,
  authorization_requests: none,
  change_notices: none,
  client_assertions: none,
  codes: none,
  consents: none,
  console_grants: none,
  console_proofs: none,
  credential_tokens: none,
  credentials: none,
  custom_attributes: none,
  daily_counts: none,
  device_codes: none,
  ended_requests: none,
  event_heads: none,
  events: none,
  factor_attempts: none,
  factor_devices: none,
  factor_verifications: none,
  facts: none,
  grant_claims: none,
  grants: none,
  hook_draft_counts: none,
  hook_executions: none,
  hook_log_sizes: none,
  // A new version also changes its hook's row.
  hook_versions: none,
  invite_links: none,
  kept_answers: none,
  limit_counts: none,
  logout_notices: none,
  migrations: none,
  migrations_lock: none,
  notice_paces: none,
  // The first one of a client also changes its row.
  open_server_clients: none,
  package_bundles: none,
  passkey_challenges: none,
  passkeys: none,
  password_resets: none,
  pushed_requests: none,
  recovery_codes: none,
  refusals: none,
  removals: none,
  reset_requests: none,
  role_admins: none,
  role_users: none,
  roles: none,
  session_apps: none,
  sessions: none,
  sign_in_histories: none,
  user_attributes: none,
  user_counts: none,
} as const satisfies Readonly<Record<string, Effects>>;

export type Table = keyof typeof dependants;

/** What one statement writes. */
export interface Write {
  readonly table: string;
  readonly operation: Operation;
  /** Set by an update. */
  readonly columns: readonly string[];
  /** Added by an insert. */
  readonly rows: readonly DbRow[];
}

/** What an operation has an effect on, whatever it adds. Throws `internal` for a table that is not listed. */
function effectOf({ table, operation, columns }: Omit<Write, 'rows'>): Effect | null {
  if (!Object.hasOwn(dependants, table)) {
    throw new Failure('internal', { reason: `what depends on ${table} is not known` });
  }
  const effects: Effects = dependants[table as Table];
  const effect = effects[operation];
  if (!effect) return null;
  if (operation === 'update' && effect.columns && !effect.columns.some((column) => columns.includes(column)))
    return null;
  return effect;
}

/** Whether anything may depend on this, whatever it adds. Throws as `dependantOf` does. */
export function mayRaise(write: Omit<Write, 'rows'>): boolean {
  return effectOf(write) !== null;
}

/** What depends on this; null for nothing. Throws `internal` for a table that is not listed. */
export function dependantOf(write: Write): Dependant | null {
  const effect = effectOf(write);
  if (!effect) return null;
  if (write.operation === 'insert' && effect.rows && !write.rows.some(effect.rows)) return null;
  return effect.on;
}

/** The column of a table that holds the account. */
export function accountColumn(table: string): 'id' | 'account_id' {
  return table === 'accounts' ? 'id' : 'account_id';
}
