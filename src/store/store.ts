/**
 * What can be asked of the store, in the verbs of the domain: a file for each noun, with what is kept of it and its
 * verbs. One implementation (`knex/`) serves SQLite and PostgreSQL; one contract suite (`test/store/`) holds both to
 * it.
 *
 * Every verb may throw `Failure('unavailable')` when the database cannot be reached, is busy, full or read-only.
 * A value that must be unique and is taken throws `Failure('conflict', { name })`.
 */

import type { AccessStore } from './access.ts';
import type { AccountStore } from './accounts.ts';
import type { AdministratorStore } from './administrators.ts';
import type { AttributeStore } from './attributes.ts';
import type { AuthorizationServerStore } from './authorization-servers.ts';
import type { AuthorizationStore } from './authorizations.ts';
import type { CallerStore } from './callers.ts';
import type { ChangeNoticeStore } from './change-notices.ts';
import type { ClientStore } from './clients.ts';
import type { CopyEnd } from './copying.ts';
import type { CountStore } from './counts.ts';
import type { DeviceCodeStore } from './device-codes.ts';
import type { EventStore } from './events.ts';
import type { FactStore } from './facts.ts';
import type { GrantStore } from './grants.ts';
import type { HookExecutionStore } from './hook-executions.ts';
import type { HookVariableStore } from './hook-variables.ts';
import type { HookStore } from './hooks.ts';
import type { KeptAnswerStore } from './kept-answers.ts';
import type { KeyStore } from './keys.ts';
import type { LimitCountStore } from './limit-counts.ts';
import type { WaitingMessages } from './messages.ts';
import type { NoticeStore } from './notices.ts';
import type { PackageBuildStore } from './package-builds.ts';
import type { PasskeyStore } from './passkeys.ts';
import type { InviteStore, PasswordResetStore } from './password-links.ts';
import type { PolicyStore } from './policies.ts';
import type { Purge } from './purge.ts';
import type { RefusalStore } from './refusals.ts';
import type { Clearing } from './removals.ts';
import type { ResetRequestStore } from './reset-requests.ts';
import type { ResourceStore } from './resources.ts';
import type { RoleStore } from './roles.ts';
import type { SearchIndex } from './search.ts';
import type { SecondFactorStore } from './second-factors.ts';
import type { SessionStore } from './sessions.ts';
import type { SignInHistoryStore } from './sign-in-histories.ts';
import type { ConnectionUsage } from './usage.ts';
import type { UserStore } from './users.ts';

/** The verbs, as available inside a transaction. */
export interface StoreVerbs {
  readonly accounts: AccountStore;
  readonly facts: FactStore;
  readonly keys: KeyStore;
  readonly callers: CallerStore;
  readonly administrators: AdministratorStore;
  readonly users: UserStore;
  readonly attributes: AttributeStore;
  readonly policies: PolicyStore;
  readonly roles: RoleStore;
  readonly access: AccessStore;
  readonly clients: ClientStore;
  readonly authorizationServers: AuthorizationServerStore;
  readonly sessions: SessionStore;
  readonly secondFactors: SecondFactorStore;
  readonly passkeys: PasskeyStore;
  readonly notices: NoticeStore;
  readonly authorizations: AuthorizationStore;
  readonly deviceCodes: DeviceCodeStore;
  readonly grants: GrantStore;
  readonly invites: InviteStore;
  readonly passwordResets: PasswordResetStore;
  readonly changeNotices: ChangeNoticeStore;
  readonly resetRequests: ResetRequestStore;
  readonly events: EventStore;
  readonly counts: CountStore;
  readonly hooks: HookStore;
  readonly hookVariables: HookVariableStore;
  readonly hookExecutions: HookExecutionStore;
  readonly packageBuilds: PackageBuildStore;
  readonly signInHistories: SignInHistoryStore;
  readonly resources: ResourceStore;
  readonly keptAnswers: KeptAnswerStore;
  readonly refusals: RefusalStore;
  readonly limitCounts: LimitCountStore;
}

export interface MigrationStatus {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

export interface Store extends StoreVerbs, Purge, Clearing, SearchIndex {
  readonly kind: 'sqlite' | 'postgres';
  /**
   * Runs `work` in one transaction: all of it is durable when the promise fulfils, none when it rejects. Use only
   * `tx` inside. A revocation that accompanies a refusal must commit: return the refusal, throw it outside.
   * PostgreSQL may have it run again after a deadlock: it changes nothing but what `tx` changes.
   */
  transaction<T>(work: (tx: StoreVerbs) => Promise<T>): Promise<T>;
  /**
   * A number that changes, in the transaction of the change, with everything of an account that may be kept in memory:
   * the account, its hosts, its keys, its policies, its hooks, its clients and what they are linked to. Null when there
   * is no such account.
   */
  generation(accountId: number): Promise<number | null>;
  /**
   * Applies pending migrations; two processes that start together apply them once. Throws `unavailable` when the schema
   * is not the one that this release makes, and changes nothing then.
   */
  migrate(): Promise<MigrationStatus>;
  /** Undoes the last `steps` migrations. */
  rollback(steps: number): Promise<MigrationStatus>;
  status(): Promise<MigrationStatus>;
  /** Throws `unavailable` when the store cannot read, and from then on when it met a damaged page. */
  ping(): Promise<void>;
  /** Tells the database's planner how large tables are by now; it plans well for those that grew since. */
  refreshStatistics(): Promise<void>;
  /** Adds up what writers have counted one by one, so that totals of lists stay quick to read. */
  foldCounts(): Promise<void>;
  /** One for each queue. */
  findWaitingMessages(): Promise<WaitingMessages[]>;
  /** The pools of this process. */
  connections(): readonly ConnectionUsage[];
  /** A consistent copy into a new file while the service runs (SQLite; PostgreSQL has its own tools). */
  backup(file: string): Promise<void>;
  /** Lends `work` the database as one end of a copy (src/domain/database-copy). */
  withCopyEnd<Result>(work: (end: CopyEnd) => Promise<Result>): Promise<Result>;
  /**
   * How the schema, or a migration that was applied, differs from this release's: a line each, in words for operators.
   */
  findSchemaFaults(): Promise<string[]>;
  /**
   * What a look at every page and index of an SQLite file finds wrong; of PostgreSQL, which has tools for it, nothing.
   */
  findDamage(): Promise<string[]>;
  close(): Promise<void>;
}
