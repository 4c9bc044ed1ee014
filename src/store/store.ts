/**
 * What can be asked of the store, in the verbs of the domain. One implementation (`knex/`) serves SQLite and
 * PostgreSQL; one contract suite (`test/store/`) holds both to it.
 *
 * Every verb may throw `Failure('unavailable')` when the database cannot be reached, is busy, full or read-only.
 * A value that must be unique and is taken throws `Failure('conflict', { name })`.
 */

import type { HookExecutionStore, HookStore, HookVariableStore } from './hook-store.ts';
import type { ListPage, ListQuery } from './listing.ts';
import type { Purge } from './purge.ts';
import type {
  AccessTokenRecord,
  AccountRecord,
  ApiKeyRecord,
  AskedClaims,
  AssertionRecord,
  AttributeValue,
  AuthorizationRequestRecord,
  AuthorizationServerRecord,
  ChangeNoticeRecord,
  ClientRecord,
  CodeRecord,
  ConsentRecord,
  CredentialRecord,
  CredentialTokenRecord,
  CustomAttributeRecord,
  DailyCountRecord,
  DetailedClient,
  DetailedUser,
  DeviceCodeRecord,
  EventRecord,
  FactorDeviceRecord,
  FactorVerificationRecord,
  GrantRecord,
  InviteLinkRecord,
  LinkedServer,
  Milliseconds,
  NewClientRecord,
  NoticeRecord,
  OpenClient,
  PackageBuildRecord,
  PasskeyRecord,
  PolicyRecord,
  PushedRequestRecord,
  ResetRequestRecord,
  RoleRecord,
  ServerClaimRecord,
  ServerLinkRecord,
  ServerScopeRecord,
  SessionRecord,
  SignInHistoryRecord,
  SigningKeyRecord,
  StoredPasskey,
  TokenClient,
  TokenUser,
  UserDetails,
  UserRecord,
} from './records.ts';

import type { Clearing } from './removals.ts';

export type { HookExecutionStore, HookStore, HookVariableStore };

type New<Row, Given extends keyof Row = never> = Omit<Row, 'id' | Given>;

/** A new row of what may follow a policy: none unless one is named. */
type Following<Row extends { readonly policyId: number | null }> = Omit<Row, 'policyId'> &
  Partial<Pick<Row, 'policyId'>>;

export interface AccountStore {
  /** Throws `conflict` with name `subdomain` or `host`. */
  create(account: New<AccountRecord>): Promise<AccountRecord>;
  find(id: number): Promise<AccountRecord | null>;
  findBySubdomain(subdomain: string): Promise<AccountRecord | null>;
  /** By one of its extra hosts, lower case. */
  findByHost(host: string): Promise<AccountRecord | null>;
  list(): Promise<AccountRecord[]>;
  /** Changes the members given; `hosts` and `settings` replace the former ones. Null when there is no such account. */
  update(
    id: number,
    changes: Partial<Pick<AccountRecord, 'name' | 'baseUrl' | 'hosts' | 'settings'>>,
  ): Promise<AccountRecord | null>;
}

/** Facts about the installation that must survive it: one text per name, written once. */
export interface FactStore {
  read(name: string): Promise<string | null>;
  /** Stores `value` unless the name has one already; answers what is stored. */
  keep(name: string, value: string): Promise<string>;
}

export interface KeyStore {
  add(key: SigningKeyRecord): Promise<void>;
  /** All keys of the account, oldest `signsFrom` first. */
  list(accountId: number): Promise<SigningKeyRecord[]>;
  /** Sets when a key leaves the published set. */
  retire(accountId: number, kid: string, retiresAt: Milliseconds): Promise<void>;
  /** Removes keys with `retiresAt` at or before `now`; answers how many. */
  removeRetired(accountId: number, now: Milliseconds): Promise<number>;
}

/** A token for the API, and the credential it was issued to. */
export interface CredentialToken {
  readonly token: CredentialTokenRecord;
  readonly credential: CredentialRecord;
}

export interface CallerStore {
  createCredential(credential: New<CredentialRecord>): Promise<CredentialRecord>;
  findCredential(accountId: number, clientId: string): Promise<CredentialRecord | null>;
  listCredentials(accountId: number): Promise<CredentialRecord[]>;
  /** False when there is no such live credential. Its tokens are inactive from then on. */
  revokeCredential(accountId: number, clientId: string, at: Milliseconds): Promise<boolean>;
  /** The same by its number. */
  revokeCredentialById(accountId: number, id: number, at: Milliseconds): Promise<boolean>;
  /** Those in force. Fields: `id`, `client_id`. */
  pageCredentials(accountId: number, query: ListQuery): Promise<ListPage<CredentialRecord>>;
  addToken(token: New<CredentialTokenRecord>): Promise<CredentialTokenRecord>;
  findToken(accountId: number, tokenId: number): Promise<CredentialToken | null>;
  /** False when it was revoked before. */
  revokeToken(accountId: number, tokenId: number, at: Milliseconds): Promise<boolean>;
  createApiKey(key: New<ApiKeyRecord>): Promise<ApiKeyRecord>;
  listApiKeys(accountId: number): Promise<ApiKeyRecord[]>;
  /** Those in force. Fields: `id`, `name`. */
  pageApiKeys(accountId: number, query: ListQuery): Promise<ListPage<ApiKeyRecord>>;
  findApiKey(digest: string): Promise<ApiKeyRecord | null>;
  revokeApiKey(accountId: number, id: number, at: Milliseconds): Promise<boolean>;
}

/** The names a user signs in with, folded (NFKC, case-insensitive): unique in the account across both columns' own kind. */
export interface UserKeys {
  readonly emailKey: string | null;
  readonly usernameKey: string | null;
}

/** One try of a secret of a user's, to be counted before it is checked. */
export interface CountedAttempt {
  readonly accountId: number;
  readonly userId: number;
  readonly now: Milliseconds;
  /** How many in a row close it. */
  readonly maximum: number;
  /** Until when they do. */
  readonly lockedUntil: Milliseconds;
}

/** A user to be: nothing is counted or held yet, unless said. */
type NewUserRecord = Omit<New<UserRecord>, 'meansVersion' | 'emailHeldUntil' | 'signedOutAt'> &
  Partial<Pick<UserRecord, 'emailHeldUntil'>>;

/** What can be changed of a user. */
export type UserUpdate = Partial<
  Omit<UserRecord, 'accountId' | 'id' | 'createdAt' | 'meansVersion'> & UserKeys & UserDetails
>;

export interface UserStore {
  /** Throws `conflict` with name `email` or `username`. */
  create(user: NewUserRecord & UserKeys & Partial<UserDetails>): Promise<UserRecord>;
  find(accountId: number, id: number): Promise<UserRecord | null>;
  findDetailed(accountId: number, id: number): Promise<DetailedUser | null>;
  /**
   * As `find`, and nobody changes or removes the user until the transaction ends. A transaction that touches more of a
   * user's rows does this first, so that no two wait for each other.
   */
  lock(accountId: number, id: number): Promise<UserRecord | null>;
  /** By folded e-mail or folded username; an e-mail match wins. */
  findByName(accountId: number, key: string): Promise<UserRecord | null>;
  findByEmail(accountId: number, emailKey: string): Promise<UserRecord | null>;
  list(accountId: number): Promise<UserRecord[]>;
  /**
   * Fields: `id`, the texts `email` and `username` (folded), `firstname`, `lastname`, `title`, `department`, `company`,
   * `phone`, `external_id`, the numbers `group_id`, `manager_user_id`, `policy_id`, `status`, `state`, the times
   * `created_at`, `updated_at`, `last_login`; `role`, `administered_role` and `app` by `in`; `other_role` and
   * `other_administered_role` for users who do not have it; `custom_attribute` by `of`; `person` by any name, with the
   * text as typed and folded.
   */
  page(accountId: number, query: ListQuery): Promise<ListPage<DetailedUser>>;
  /**
   * Changes the members given; null when there is no such user. Another e-mail address, user name, password digest or
   * status than before counts `meansVersion` up. Throws `conflict` as `create` does.
   */
  update(accountId: number, id: number, changes: UserUpdate): Promise<UserRecord | null>;
  /**
   * Removes the user with memberships, access, sessions, codes, consents and tokens, also as a manager of others; false
   * when there is none. What is much is cleared later (`Clearing`): nobody finds it, and no token of it works.
   */
  remove(accountId: number, id: number, at: Milliseconds): Promise<boolean>;
  /**
   * Counts one password attempt before the hash is computed (one conditional UPDATE). Null: sign-in by password is
   * closed (`lockedUntil` in the future) and nothing was counted. A pause that has passed starts the count anew; the
   * `maximum`-th attempt in a row, `last`, sets `lockedUntil`.
   */
  countAttempt(attempt: CountedAttempt): Promise<'counted' | 'last' | null>;
  /**
   * As much work as `countAttempt`, one durable write of the account's own row, for a name that nobody has and for a
   * closed sign-in: how long a refusal takes must not tell which it was.
   */
  countDecoyAttempt(accountId: number): Promise<void>;
  /** After a right password: the count is 0, the pause over. */
  clearAttempts(accountId: number, userId: number): Promise<void>;
  /** The same password in a better form: false when the stored digest is not `from` any more. */
  replaceDigest(accountId: number, userId: number, from: string, to: string): Promise<boolean>;
}

/** Members that accounts add to their users. */
export interface AttributeStore {
  /** Throws `conflict` with name `shortname`. Without a position it gets the one after the last. */
  create(
    attribute: Omit<New<CustomAttributeRecord>, 'position'> & { readonly position?: number },
  ): Promise<CustomAttributeRecord>;
  find(accountId: number, id: number): Promise<CustomAttributeRecord | null>;
  /** All of the account, by id. */
  list(accountId: number): Promise<CustomAttributeRecord[]>;
  /** Fields: `id`, `name`, `shortname`, `position`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<CustomAttributeRecord>>;
  /** Throws `conflict` as `create` does; null when there is no such attribute. */
  update(
    accountId: number,
    id: number,
    changes: Partial<Pick<CustomAttributeRecord, 'name' | 'shortname' | 'position'>>,
  ): Promise<CustomAttributeRecord | null>;
  /** Removes the attribute and its values, as `UserStore.remove`; false when there is none. */
  remove(accountId: number, id: number, at: Milliseconds): Promise<boolean>;
  /** What these users have. */
  valuesOf(accountId: number, userIds: readonly number[]): Promise<AttributeValue[]>;
  /** Null takes the value away. Throws `not_found` when there is no such user or attribute. */
  setValue(accountId: number, userId: number, attributeId: number, value: string | null): Promise<void>;
}

/** Who may follow a policy. */
export type Follower = { readonly userId: number } | { readonly roleId: number } | { readonly appId: number };

/** Every account has exactly one default policy, made with it. */
export interface PolicyStore {
  /** Throws `conflict`, with name `name` where the name is taken; a second default is one as well. */
  create(policy: New<PolicyRecord>): Promise<PolicyRecord>;
  find(accountId: number, id: number): Promise<PolicyRecord | null>;
  /** All of the account, oldest first. */
  list(accountId: number): Promise<PolicyRecord[]>;
  /** Changes the members given; null when there is no such policy. Throws `conflict` as `create` does. */
  update(
    accountId: number,
    id: number,
    changes: Partial<Omit<PolicyRecord, 'accountId' | 'id' | 'createdAt'>>,
  ): Promise<PolicyRecord | null>;
  /** False when there is none. Throws `conflict` with name `policy` while a user, a role or a client follows it. */
  remove(accountId: number, id: number): Promise<boolean>;
  /** Says which policy a user, a role or a client follows, null for none; false when there is no such follower. */
  assign(accountId: number, follower: Follower, policyId: number | null): Promise<boolean>;
  /** What is said of a user: their own policy, and that of the first assigned of their roles that name one. */
  followedBy(
    accountId: number,
    userId: number,
  ): Promise<{ readonly own: number | null; readonly ofRole: number | null }>;
  /** All of the account. Fields: `id`, `name`, `created_at`, `updated_at`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<PolicyRecord>>;
}
/** What roles are linked to: the apps they give, the users who have them, and administrators, who get nothing. */
export type RoleLink = 'apps' | 'users' | 'admins';

export interface RoleStore {
  /** Throws `conflict` with name `name`. */
  create(role: Following<New<RoleRecord>>): Promise<RoleRecord>;
  find(accountId: number, id: number): Promise<RoleRecord | null>;
  /** Whether there is such a role; nobody else changes or removes it until the end of the transaction. */
  lock(accountId: number, id: number): Promise<boolean>;
  findByName(accountId: number, name: string): Promise<RoleRecord | null>;
  /** Role ids of each of these users, in order of assignment. */
  idsOfUsers(accountId: number, userIds: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>>;
  /** Roles of a user, in order of assignment. */
  ofUser(accountId: number, userId: number): Promise<RoleRecord[]>;
  /** Fields: `id`, `name`; `app` by `in`; `app_name`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<RoleRecord>>;
  /** Throws `conflict` as `create` does; null when there is no such role. */
  rename(accountId: number, id: number, name: string): Promise<RoleRecord | null>;
  /**
   * Removes the role with all its links, as `UserStore.remove`, and ends what users have of apps that only it had given.
   * Answers how many grants were revoked until now, null when there is no such role.
   */
  remove(accountId: number, id: number, at: Milliseconds): Promise<number | null>;
  /** What each of these roles is linked to, ascending. */
  linked(
    accountId: number,
    link: RoleLink,
    roleIds: readonly number[],
  ): Promise<ReadonlyMap<number, readonly number[]>>;
  /** Since when those of these users are linked to the role who are. */
  linkedAt(
    accountId: number,
    link: 'users' | 'admins',
    roleId: number,
    userIds: readonly number[],
  ): Promise<ReadonlyMap<number, Milliseconds>>;
  /** Answers those that were not linked before, ascending. Throws `not_found` for a role or an id that nothing has. */
  link(
    accountId: number,
    link: RoleLink,
    roleId: number,
    ids: readonly number[],
    at: Milliseconds,
  ): Promise<readonly number[]>;
  /** Has a user who has the role have it since another time, which is its place among the user's roles. */
  move(accountId: number, roleId: number, userId: number, at: Milliseconds): Promise<void>;
  /** Answers those that were linked, ascending. */
  unlink(accountId: number, link: RoleLink, roleId: number, ids: readonly number[]): Promise<readonly number[]>;
  /** The first of these ids that no such app or user has; null when all are known. */
  findUnknown(accountId: number, link: RoleLink, ids: readonly number[]): Promise<number | null>;
}

/** Who may use an app: users directly, or through a role. */
export type Assignee = { readonly userId: number } | { readonly roleId: number };

export interface AccessStore {
  /** Idempotent. Throws `not_found` where there is no such app, user or role. */
  grant(accountId: number, appId: number, assignee: Assignee, at: Milliseconds): Promise<void>;
  /** False when it was not assigned. */
  revoke(accountId: number, appId: number, assignee: Assignee): Promise<boolean>;
  /** In a transaction nobody takes away, until its end, what a yes rests on. */
  isAssigned(accountId: number, appId: number, userId: number): Promise<boolean>;
  /**
   * Ends the grants and all that is in flight of users who may not use these apps any more; part of the transaction that
   * took the access away. Answers how many grants were revoked until now. Others are dead and revoked later
   * (`Clearing`), and stay dead when the access is given again.
   */
  endLost(accountId: number, appIds: readonly number[], at: Milliseconds): Promise<number>;
  /** Roles that give each of these apps, ascending. */
  rolesOf(accountId: number, appIds: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>>;
}

export type NewClient = Following<NewClientRecord>;

/** A client to be created, and what the trail says of it once it has its number. */
export interface NewRegistration {
  readonly client: NewClient;
  readonly eventOf: (appId: number) => NewEvent;
}

export interface ClientStore {
  create(client: NewClient): Promise<ClientRecord>;
  /** Creates one with its event. */
  register(registration: NewRegistration): Promise<ClientRecord>;
  /** Creates several with their events and one durable commit, in the order given. */
  registerAll(registrations: readonly NewRegistration[]): Promise<ClientRecord[]>;
  /** Takes as long for a client that does not exist as for one that does. `fresh`: read now, whatever is kept in memory. */
  find(accountId: number, clientId: string, fresh?: 'fresh'): Promise<ClientRecord | null>;
  findByApp(accountId: number, appId: number): Promise<ClientRecord | null>;
  /** The client that manages its registration with the token of this digest. */
  findOwner(accountId: number, clientId: string, registrationTokenDigest: string): Promise<ClientRecord | null>;
  /**
   * The next clients that anyone registered, of all accounts, after this one (null: from the first). Used is what is
   * counted by day with a client as its subject.
   */
  sweepOpen(after: Pick<OpenClient, 'accountId' | 'appId'> | null, limit: number): Promise<OpenClient[]>;
  findApp(accountId: number, appId: number): Promise<DetailedClient | null>;
  /** Keeps that the assertion was used, until it expires: true for exactly one caller. */
  useAssertion(assertion: AssertionRecord): Promise<boolean>;
  /** Fields: `id` (of the app), `name`, `connector_id`, `visible` (0, 1), `created_at`, `updated_at`; `client_id` by `is`. */
  pageApps(accountId: number, query: ListQuery): Promise<ListPage<DetailedClient>>;
  /** Changes the members given; false when there is no such client. */
  update(
    accountId: number,
    appId: number,
    changes: Partial<Omit<DetailedClient, 'accountId' | 'appId' | 'clientId' | 'createdAt'>>,
  ): Promise<boolean>;
  /** Clients whose app the user may use. Fields as `pageApps`. */
  pageOfUser(accountId: number, userId: number, query: ListQuery): Promise<ListPage<ClientRecord>>;
  /** Clients whose app the role gives. Fields as `pageOfUser`. */
  pageOfRole(accountId: number, roleId: number, query: ListQuery): Promise<ListPage<ClientRecord>>;
  /** The former secret stays valid until `previousUntil`; without one it ends, as one before it always does. */
  replaceSecret(
    accountId: number,
    appId: number,
    secretDigest: string,
    previousUntil?: Milliseconds | null,
  ): Promise<boolean>;
  /** Removes the client with its access, consents, codes, grants and tokens, as `UserStore.remove`; false when there is none. */
  remove(accountId: number, appId: number, at: Milliseconds): Promise<boolean>;
}

type Changes<Row, Named extends keyof Row> = Partial<Pick<Row, Named>>;

/** A link with the name of its client. */
type NamedLink = ServerLinkRecord & { readonly clientName: string };

/** API authorization servers. A change of any is in force for the next token, whoever made it. */
export interface AuthorizationServerStore {
  /** Throws `conflict` with name `resource_identifier`. */
  create(server: New<AuthorizationServerRecord>): Promise<AuthorizationServerRecord>;
  find(accountId: number, id: number): Promise<AuthorizationServerRecord | null>;
  /** Fields: `id`, `name`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<AuthorizationServerRecord>>;
  /** Changes the members given; null when there is no such server. Throws `conflict` as `create` does. */
  update(
    accountId: number,
    id: number,
    changes: Partial<Omit<AuthorizationServerRecord, 'accountId' | 'id' | 'createdAt'>>,
  ): Promise<AuthorizationServerRecord | null>;
  /** Removes the server with its scopes, claims and links; false when there is none. */
  remove(accountId: number, id: number): Promise<boolean>;
  /** Throws `conflict` with name `value`, `not_found` without the server. */
  addScope(scope: New<ServerScopeRecord>): Promise<ServerScopeRecord>;
  /** All, by id. */
  listScopes(accountId: number, serverId: number): Promise<ServerScopeRecord[]>;
  /** Fields: `id`, `value`. */
  pageScopes(accountId: number, serverId: number, query: ListQuery): Promise<ListPage<ServerScopeRecord>>;
  updateScope(
    accountId: number,
    serverId: number,
    id: number,
    changes: Changes<ServerScopeRecord, 'value' | 'description'>,
  ): Promise<ServerScopeRecord | null>;
  removeScope(accountId: number, serverId: number, id: number): Promise<boolean>;
  /** Throws `conflict` with name `label`, `not_found` without the server. */
  addClaim(claim: New<ServerClaimRecord>): Promise<ServerClaimRecord>;
  /** All, by id. */
  listClaims(accountId: number, serverId: number): Promise<ServerClaimRecord[]>;
  /** Fields: `id`, `label`. */
  pageClaims(accountId: number, serverId: number, query: ListQuery): Promise<ListPage<ServerClaimRecord>>;
  updateClaim(
    accountId: number,
    serverId: number,
    id: number,
    changes: Changes<ServerClaimRecord, 'label' | 'attribute' | 'macro'>,
  ): Promise<ServerClaimRecord | null>;
  removeClaim(accountId: number, serverId: number, id: number): Promise<boolean>;
  /** Throws `conflict` for a client that is linked already, `not_found` without the server or the client. */
  link(link: ServerLinkRecord): Promise<void>;
  findLink(accountId: number, serverId: number, appId: number): Promise<ServerLinkRecord | null>;
  /** Fields: `app_id`. */
  pageLinks(accountId: number, serverId: number, query: ListQuery): Promise<ListPage<NamedLink>>;
  /** False when there is no such link. */
  updateLink(accountId: number, serverId: number, appId: number, scopeIds: readonly number[]): Promise<boolean>;
  unlink(accountId: number, serverId: number, appId: number): Promise<boolean>;
  /** The servers that a client is linked to, the one linked first at the front. */
  ofClient(accountId: number, appId: number): Promise<readonly LinkedServer[]>;
}

/** Where a session was begun may not be known. */
type NewSession = New<SessionRecord, 'source' | 'userAgent'> & Partial<Pick<SessionRecord, 'source' | 'userAgent'>>;

export interface SessionStore {
  create(session: NewSession): Promise<SessionRecord>;
  find(accountId: number, digest: string): Promise<SessionRecord | null>;
  touch(accountId: number, id: number, lastSeenAt: Milliseconds): Promise<void>;
  /** Keeps that the session was used for the app, for as long as the session may last; idempotent. */
  noteUse(session: Pick<SessionRecord, 'accountId' | 'sid' | 'expiresAt'>, appId: number): Promise<void>;
  isUsedFor(accountId: number, sid: string, appId: number): Promise<boolean>;
  /** Forgets for which apps it was used. */
  forgetUses(accountId: number, sid: string): Promise<void>;
  /** Keeps all that is new of a session, its digest too: id and `sid` stay. False when there is none. */
  renew(session: SessionRecord): Promise<boolean>;
  /** By its `sid`, which stays when its digest changes; false when there is none. */
  end(accountId: number, userId: number, sid: string): Promise<boolean>;
  /** Whether a session of the user's has this name. */
  has(accountId: number, userId: number, sid: string): Promise<boolean>;
  /** All of them, but for the one with the `sid` `except`. */
  endOfUser(accountId: number, userId: number, except?: string): Promise<void>;
  /** Those that were used last, the last one first, ended or not by their own times. */
  listOfUser(accountId: number, userId: number, limit: number): Promise<SessionRecord[]>;
}

/** Second factors: devices, recovery codes, and the count of wrong codes, which the right password leaves as it is. */
export interface SecondFactorStore {
  createDevice(device: New<FactorDeviceRecord>): Promise<FactorDeviceRecord>;
  /** By the registration that made it, accepted or not. */
  findRegistration(accountId: number, userId: number, registrationId: string): Promise<FactorDeviceRecord | null>;
  /** The accepted ones, oldest first. */
  listDevices(accountId: number, userId: number): Promise<FactorDeviceRecord[]>;
  /** How many there are, those included that wait to be accepted. */
  countDevices(accountId: number, userId: number, now: Milliseconds): Promise<number>;
  /** Accepts a device that waits for it, and the time step that its code was of: true for exactly one caller. */
  acceptDevice(accountId: number, id: number, step: number, at: Milliseconds): Promise<boolean>;
  /** Uses up a time step of an accepted device: true for exactly one caller, and never for an older step. */
  useStep(accountId: number, id: number, step: number, at: Milliseconds): Promise<boolean>;
  /** Names an accepted device anew; false when there is none. */
  renameDevice(accountId: number, userId: number, id: number, name: string): Promise<boolean>;
  /** Removes an accepted device; false when there is none. */
  removeDevice(accountId: number, userId: number, id: number): Promise<boolean>;
  /** As `UserStore.countAttempt`, for codes. */
  countAttempt(attempt: CountedAttempt): Promise<'counted' | 'last' | null>;
  clearAttempts(accountId: number, userId: number): Promise<void>;
  /** The user's recovery codes from now on, none of them used. */
  replaceRecoveryCodes(accountId: number, userId: number, digests: readonly string[]): Promise<void>;
  /** Uses a recovery code up: true for exactly one caller. */
  useRecoveryCode(accountId: number, userId: number, digest: string, at: Milliseconds): Promise<boolean>;
  /** How many of them are not used. */
  countRecoveryCodes(accountId: number, userId: number): Promise<number>;
  createVerification(verification: FactorVerificationRecord): Promise<void>;
  findVerification(accountId: number, userId: number, id: string): Promise<FactorVerificationRecord | null>;
  /** True for exactly one caller, before `expiresAt`. */
  acceptVerification(accountId: number, id: string, at: Milliseconds): Promise<boolean>;
}

/** What passkeys have beside the device that each of them is, and the challenges that were answered. */
export interface PasskeyStore {
  /** Throws `conflict` when the account has a passkey with this credential id. */
  create(passkey: PasskeyRecord): Promise<void>;
  findByCredential(accountId: number, credentialId: string): Promise<StoredPasskey | null>;
  /** Oldest first. */
  list(accountId: number, userId: number): Promise<StoredPasskey[]>;
  /** Keeps what an authenticator says at a use; false when there is none, and when its counter has gone as far already. */
  use(
    accountId: number,
    deviceId: number,
    said: Pick<PasskeyRecord, 'counter' | 'backedUp'>,
    at: Milliseconds,
  ): Promise<boolean>;
  /** Uses a challenge up, which is of no use from `expiresAt` on: true for exactly one caller. */
  useChallenge(accountId: number, digest: string, expiresAt: Milliseconds): Promise<boolean>;
}

/** How far a user has come who gave the right password and is not signed in yet. */
export interface FirstFactor {
  readonly userId: number;
  readonly checkedAt: Milliseconds;
  /** How they have shown who they are until now. */
  readonly methods: readonly string[];
}

/**
 * Sessions of a user that end: one of them, or all but the one with the `sid` `except`. All are those that are open, and
 * those that a live grant began in.
 */
export type EndedSessions =
  | { readonly userId: number; readonly sid: string }
  | { readonly userId: number; readonly except: string | null };

/** What clients are to be told, until they have heard. */
/** Notices that are not to be sent now. */
export interface NoticeExcept {
  /** Of these accounts. */
  readonly accounts: readonly number[];
  /** To these clients. */
  readonly clients: readonly Pick<NoticeRecord, 'accountId' | 'appId'>[];
  /** To these hosts, each for those who were registered as said. */
  readonly hosts: readonly Pick<NoticeRecord, 'accountId' | 'host' | 'registeredBy'>[];
  /** To clients of these accounts that registered in the open. */
  readonly openOf: readonly number[];
}

export interface NoticeStore {
  /**
   * One for each session that ends and each client that got tokens in it and wants to be told; answers how many. As many
   * statements for one session as for thousands; before grants are revoked, for sessions are found by them.
   */
  addForSessions(
    accountId: number,
    ended: EndedSessions,
    subjectFor: (client: Pick<ClientRecord, 'sector'>) => string,
    at: Milliseconds,
  ): Promise<number>;
  /**
   * Those that are due and not excepted, each for one caller: they are due again at `until`, and an attempt is counted.
   */
  claim(now: Milliseconds, until: Milliseconds, limit: number, except?: NoticeExcept): Promise<NoticeRecord[]>;
  postpone(accountId: number, id: number, dueAt: Milliseconds): Promise<void>;
  /** False when there is none. */
  remove(accountId: number, id: number): Promise<boolean>;
}

/** Who may have lost access: a few hundred users at most, to whichever app, or whichever user of one app. */
export type AccessLoss = { readonly userIds: readonly number[] } | { readonly appId: number };

/**
 * Whose codes, devices that were let in and sign-ins in progress: all of a user's, those that one session approved, those
 * for one app, or those for an app that their user may not use any more.
 */
export type InFlight =
  | { readonly userId: number }
  | { readonly userId: number; readonly sid: string }
  | { readonly userId: number; readonly appId: number }
  | { readonly unassigned: AccessLoss };

export interface AuthorizationStore {
  /** Keeps a request that a client sent ahead. */
  push(request: PushedRequestRecord): Promise<void>;
  /** The one of this client, expired or not. */
  findPushed(accountId: number, appId: number, digest: string): Promise<PushedRequestRecord | null>;
  /** Takes it away: true for exactly one caller. */
  takePushed(accountId: number, digest: string): Promise<boolean>;
  createRequest(request: AuthorizationRequestRecord): Promise<void>;
  /** Null also when it has ended. */
  findRequest(accountId: number, digest: string): Promise<AuthorizationRequestRecord | null>;
  /** Whether `finishRequest` has ended it. */
  hasEnded(accountId: number, digest: string): Promise<boolean>;
  /**
   * Marks the request as signed in with the session that was opened for it, forgets a decision and how far the sign-in
   * had come, and binds it to the browser's new identity. Null for `opened`: who was signed in has only shown more of who
   * they are. This and the three that follow store the request as it is given where it is not stored yet.
   */
  signIn(
    request: AuthorizationRequestRecord,
    opened: Pick<SessionRecord, 'sid' | 'authenticatedAt'> | null,
    browserDigest: string,
  ): Promise<void>;
  /** Keeps how far a sign-in has come that is not at its end, and binds the request to the browser's new identity. */
  keepFirstFactor(request: AuthorizationRequestRecord, first: FirstFactor, browserDigest: string): Promise<void>;
  /** Keeps what hooks made of the sign-in of this user in the request. */
  keepFiring(
    request: AuthorizationRequestRecord,
    fired: Pick<AuthorizationRequestRecord, 'hookPolicyId' | 'hookPolicyUserId' | 'hookTraits'>,
  ): Promise<void>;
  decide(request: AuthorizationRequestRecord, decision: 'allow' | 'deny', userId: number): Promise<void>;
  /** Ends a request, stored or not: true for exactly one caller. */
  finishRequest(request: Pick<AuthorizationRequestRecord, 'accountId' | 'digest' | 'expiresAt'>): Promise<boolean>;
  /**
   * Ends the requests in which such a user gave a first factor or decided, but for the one with the digest `except`;
   * none by a session, which a request does not name.
   */
  endRequests(accountId: number, whose: InFlight, except?: string): Promise<void>;
  createCode(code: CodeRecord): Promise<void>;
  findCode(accountId: number, digest: string): Promise<CodeRecord | null>;
  /** Uses a code up (one conditional UPDATE): true for exactly one caller, before `expiresAt`. */
  consumeCode(accountId: number, digest: string, now: Milliseconds): Promise<boolean>;
  /** Ends codes that were not used. */
  endCodes(accountId: number, whose: InFlight): Promise<void>;
  /** Remembers the grant that the use of a code made. */
  linkCode(accountId: number, digest: string, grantId: number): Promise<void>;
  /** Scopes the user allowed this client before. */
  findConsent(accountId: number, userId: number, appId: number): Promise<readonly string[] | null>;
  saveConsent(
    accountId: number,
    userId: number,
    appId: number,
    scope: readonly string[],
    at: Milliseconds,
  ): Promise<void>;
  /** All that the user allowed. */
  listConsents(accountId: number, userId: number): Promise<ConsentRecord[]>;
  /** False when there is none. */
  removeConsent(accountId: number, userId: number, appId: number): Promise<boolean>;
}

/** What a user decided about a device, and who it was. */
type DeviceDecision = Pick<DeviceCodeRecord, 'decision' | 'userId' | 'amr' | 'authenticatedAt' | 'sid' | 'decidedAt'>;

export interface DeviceCodeStore {
  /** Throws `conflict` with name `user_code_digest` for a user code that another one has. */
  create(code: DeviceCodeRecord): Promise<void>;
  find(accountId: number, digest: string): Promise<DeviceCodeRecord | null>;
  findByUserCode(accountId: number, userCodeDigest: string): Promise<DeviceCodeRecord | null>;
  /** Keeps what was decided: true for exactly one caller, before `expiresAt`. */
  decide(accountId: number, digest: string, decision: DeviceDecision, now: Milliseconds): Promise<boolean>;
  /** Whether the device may ask now; when it may not, its interval grows. Either way it waits for its interval from now on. */
  poll(accountId: number, digest: string, now: Milliseconds): Promise<boolean>;
  /** Uses up a code that was allowed: true for exactly one caller, before `expiresAt`. */
  consume(accountId: number, digest: string, now: Milliseconds): Promise<boolean>;
  /** Denies what was allowed and not used. */
  endAllowed(accountId: number, whose: InFlight): Promise<void>;
}

/** The part of a new access token that the domain decides; the store gives it its id. */
export interface NewAccessToken {
  readonly digest: string;
  readonly issuedAt: Milliseconds;
  readonly expiresAt: Milliseconds;
}

/** One presented refresh token, with its successor ready. */
export interface Consumption {
  readonly accountId: number;
  readonly grantId: number;
  /** The client that presents it. */
  readonly appId: number;
  readonly presentedDigest: string;
  /** A narrower scope for the access token; null: the grant's. */
  readonly scope: readonly string[] | null;
  readonly now: Milliseconds;
  /** How long the direct predecessor still gets the same successor. */
  readonly graceMilliseconds: number;
  readonly successorDigest: string;
  /** What the successor was derived with from the presented token. */
  readonly successorSalt: string;
  readonly idleExpiresAt: Milliseconds;
  readonly accessToken: NewAccessToken;
  /** What is kept of the proof of a key that came with it (RFC 9449), used up in the same commit unless it is refused. */
  readonly proof: AssertionRecord | null;
  /** What the trail says of it, in the same commit; null: nothing. A rotation is not told of. */
  readonly eventOf: (outcome: Untypical) => NewEvent | null;
}

export type ConsumptionRefusal =
  | 'unknown'
  | 'other_client'
  | 'expired'
  | 'revoked'
  | 'proof_used'
  | 'scope_exceeded'
  | 'user_locked'
  | 'user_suspended'
  | 'user_inactive'
  | 'access_not_assigned';

/** What became of a presented refresh token. Only `reused` changes anything beside the two successes: it revokes the family. */
export type ConsumptionOutcome =
  | {
      readonly outcome: 'rotated';
      readonly grant: GrantRecord;
      readonly user: TokenUser;
      readonly accessTokenId: number;
    }
  | {
      /** The direct predecessor again, within the grace: the successor is the one that `grant.successorSalt` derives. */
      readonly outcome: 'repeated';
      readonly grant: GrantRecord;
      readonly user: TokenUser;
      readonly accessTokenId: number;
    }
  | { readonly outcome: 'reused'; readonly grantId: number }
  | { readonly outcome: 'refused'; readonly reason: ConsumptionRefusal };

/** Every outcome but the usual one. */
export type Untypical = Exclude<ConsumptionOutcome, { readonly outcome: 'rotated' }>;

/** An access token with all that decides whether it is active. */
export interface AccessTokenStanding {
  readonly token: AccessTokenRecord;
  /** Null for client credentials. */
  readonly grant: GrantRecord | null;
  readonly user: TokenUser | null;
  readonly client: TokenClient;
  /** For a user's token: whether the app is still assigned. */
  readonly assigned: boolean;
}

/** A grant of a client that is linked to API authorization servers. */
export interface GrantForApis extends GrantRecord {
  /** Of one for any server: its scopes, each with its server; null where an older release made it. */
  readonly apiScopes: readonly string[] | null;
}

/** `offlineAccess`: whether it outlives its session; not, unless said. No exchange reads that. */
type NewGrant = New<GrantRecord> & Partial<Pick<GrantForApis, 'apiScopes'>> & { readonly offlineAccess?: boolean };

export interface GrantStore {
  create(grant: NewGrant): Promise<GrantRecord>;
  find(accountId: number, id: number): Promise<GrantRecord | null>;
  findForApis(accountId: number, id: number): Promise<GrantForApis | null>;
  /** Keeps the claims that userinfo gives beyond the scope of the grant. */
  saveClaims(accountId: number, id: number, claims: AskedClaims): Promise<void>;
  /** Null: none beyond the scope. */
  findClaims(accountId: number, id: number): Promise<AskedClaims | null>;
  /** Sets the first refresh token of a grant, whose text holds the grant's id. */
  setFirstToken(accountId: number, id: number, digest: string): Promise<void>;
  /**
   * Consumes presented refresh tokens: one transaction and one durable commit for the whole batch, in the order given;
   * outcomes in the same order. For each: the grant exists and belongs to the client; is neither revoked nor
   * expired; the digest is the current one (rotate), or the previous one within the grace (repeat), or anything else
   * (revoke the family); the scope is not wider; the user is active; access is assigned. Checks in this order; the
   * caller has checked that the token's text is authentic, so that an unknown digest is an older token of the family.
   * A proof is used up by what rotates, repeats or revokes, and refuses it where it was used before; what is refused
   * leaves nothing of its proof.
   */
  consume(batch: readonly Consumption[]): Promise<ConsumptionOutcome[]>;
  /** The first reason stays: false when it was revoked before. */
  revoke(accountId: number, id: number, at: Milliseconds, because: string): Promise<boolean>;
  revokeOfUser(accountId: number, userId: number, at: Milliseconds, because: string): Promise<number>;
  /** The same for one app of the user's. */
  revokeOfUserApp(accountId: number, userId: number, appId: number, at: Milliseconds, because: string): Promise<number>;
  /** The same for those of one session that do not outlive it; one that an older release made does. */
  revokeOfSession(accountId: number, userId: number, sid: string, at: Milliseconds, because: string): Promise<number>;
  /** Whether there are live ones that `revokeOfSession` would revoke. */
  hasOfSession(accountId: number, userId: number, sid: string, now: Milliseconds): Promise<boolean>;
  /** A user's sessions were ended, and the grants go on without them. */
  outliveSessions(accountId: number, userId: number): Promise<void>;
  /** Revokes all but those of one session. */
  revokeOfUserElsewhere(
    accountId: number,
    userId: number,
    sid: string,
    at: Milliseconds,
    because: string,
  ): Promise<number>;
  /** A user's grants that were not revoked and have not expired, oldest first. */
  listLive(accountId: number, userId: number, now: Milliseconds): Promise<GrantRecord[]>;
  /** Revokes those of these live grants whose user is no longer assigned to the app. */
  revokeUnassigned(accountId: number, loss: AccessLoss, at: Milliseconds): Promise<number>;
  /** Revokes the live grants that are for this API authorization server alone, of one app or of all that are linked. */
  revokeOfServer(accountId: number, serverId: number, appId: number | null, at: Milliseconds): Promise<number>;
  addAccessToken(token: New<AccessTokenRecord>): Promise<AccessTokenRecord>;
  /** Adds several with one durable commit, in the order given. */
  addAccessTokens(tokens: readonly New<AccessTokenRecord>[]): Promise<AccessTokenRecord[]>;
  findAccessToken(accountId: number, id: number): Promise<AccessTokenStanding | null>;
  /** False when it was revoked before. */
  revokeAccessToken(accountId: number, id: number, at: Milliseconds): Promise<boolean>;
}

/** An event that has no place yet. */
export type NewEvent = Omit<EventRecord, 'id' | 'hash'> & {
  /** Its hash in the place it gets; `previousHash` is empty for the first event of an account. */
  readonly seal: (id: number, previousHash: string) => string;
};

/** Where an account's chain ends. */
interface ChainEnd {
  /** 0 and empty when nothing was ever appended. */
  readonly lastId: number;
  readonly lastHash: string;
  /** The greatest id there is among the events; another one than `lastId` is a fault. */
  readonly greatestId: number;
}

/** What happened, append-only: the database refuses to change or delete an event. */
export interface EventStore {
  /**
   * Appends to the chain of the event's account, whichever process appends at the same time. In a transaction the
   * event is appended at its end, so that nothing is waited for while the end of the chain is locked.
   */
  append(event: NewEvent): Promise<void>;
  findEnd(accountId: number): Promise<ChainEnd>;
  /** The oldest events with ids above `id`, oldest first. */
  listAfter(accountId: number, id: number, limit: number): Promise<EventRecord[]>;
  /** The newest events with ids below `id` (null: of all), newest first. */
  listBefore(accountId: number, id: number | null, limit: number): Promise<EventRecord[]>;
  /** Fields: `created_at`, `action`, `actor_type`, `actor_id`, `target_type`, `target_id` (-1: none). */
  page(accountId: number, query: ListQuery): Promise<ListPage<EventRecord>>;
}

/** Links with which users choose a password. */
export interface LinkStore {
  find(accountId: number, digest: string): Promise<InviteLinkRecord | null>;
  /** Uses a link up (one conditional UPDATE): true for exactly one caller, before `expiresAt`. */
  use(accountId: number, digest: string, now: Milliseconds): Promise<boolean>;
}

/** Those that somebody made for a user, who has one at most. */
export interface InviteStore extends LinkStore {
  /** In place of the user's former one, used or not. */
  replace(link: InviteLinkRecord): Promise<void>;
}

/** Those that users asked for themselves: one ends no other. */
export interface PasswordResetStore extends LinkStore {
  add(link: InviteLinkRecord): Promise<void>;
}

/** Messages about changes that were not sent yet. */
export interface ChangeNoticeStore {
  /** Keeps one. Where one of the same changes waits for the address, it gets the newer time, and all its attempts again. */
  add(notice: New<ChangeNoticeRecord>): Promise<void>;
  /**
   * Those that are due, of all accounts but some, each for one caller: they are due again at `until`, and an attempt is
   * counted.
   */
  claim(
    now: Milliseconds,
    until: Milliseconds,
    limit: number,
    except?: readonly number[],
  ): Promise<ChangeNoticeRecord[]>;
  postpone(accountId: number, id: number, dueAt: Milliseconds): Promise<void>;
  /** False when there is none, or a change that came after `changedAt` is still to be told. */
  remove(accountId: number, id: number, changedAt: Milliseconds): Promise<boolean>;
}

/** Links that were asked for and not sent yet. */
export interface ResetRequestStore {
  add(request: New<ResetRequestRecord>): Promise<void>;
  countOpen(accountId: number): Promise<number>;
  /**
   * Those that are due, of all accounts but some, each for one caller: they are due again at `until`, and an attempt is
   * counted.
   */
  claim(
    now: Milliseconds,
    until: Milliseconds,
    limit: number,
    except?: readonly number[],
  ): Promise<ResetRequestRecord[]>;
  postpone(accountId: number, id: number, dueAt: Milliseconds): Promise<void>;
  /** False when there is none. */
  remove(accountId: number, id: number): Promise<boolean>;
}

/** How often what is not told one by one was done. */
export interface CountStore {
  /** Adds to what is stored, all or nothing. */
  add(counts: readonly DailyCountRecord[]): Promise<void>;
  /** From this day (`2026-11-21`) on, oldest first. */
  list(accountId: number, from: string): Promise<DailyCountRecord[]>;
}

/** How a build leaves the state `running`: ended, or to be tried again from `dueAt` on. */
export interface PackageBuildEnd {
  readonly state: 'ready' | 'failed' | 'queued';
  readonly digest?: string;
  readonly failure?: string;
  readonly dueAt?: Milliseconds;
}

export interface PackageBuildStore {
  /** Queues a build, due at once. */
  create(build: Pick<PackageBuildRecord, 'accountId' | 'packages' | 'createdAt'>): Promise<PackageBuildRecord>;
  list(accountId: number, ids: readonly number[]): Promise<PackageBuildRecord[]>;
  /** Those that have not ended. */
  countOpen(accountId: number): Promise<number>;
  /** The build that is due longest becomes `running` (one conditional UPDATE), and is due again at `until`. Null when none is due. */
  claim(now: Milliseconds, until: Milliseconds): Promise<PackageBuildRecord | null>;
  /** False when the build has been taken up by another node since, or removed. */
  finish(
    build: Pick<PackageBuildRecord, 'accountId' | 'id' | 'attempts'>,
    end: PackageBuildEnd,
    at: Milliseconds,
  ): Promise<boolean>;
  /** False when there is none. A bundle that no build refers to any more is purged after a day. */
  remove(accountId: number, id: number): Promise<boolean>;
  /** Keeps the script that is there already. */
  addBundle(digest: string, script: string, at: Milliseconds): Promise<void>;
  /** Notes that a build is about to refer to a bundle; false when there is none. */
  useBundle(digest: string, at: Milliseconds): Promise<boolean>;
  findBundle(digest: string): Promise<string | null>;
}

export interface SignInHistoryStore {
  find(accountId: number, userId: number): Promise<SignInHistoryRecord | null>;
  /** Replaces what was remembered of the user. */
  keep(record: SignInHistoryRecord): Promise<void>;
}

/** The verbs, as available inside a transaction. */
export interface StoreVerbs {
  readonly accounts: AccountStore;
  readonly facts: FactStore;
  readonly keys: KeyStore;
  readonly callers: CallerStore;
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
}

export interface MigrationStatus {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

export interface Store extends StoreVerbs, Purge, Clearing {
  readonly kind: 'sqlite' | 'postgres';
  /**
   * Runs `work` in one transaction: all of it is durable when the promise fulfils, none when it rejects. Use only
   * `tx` inside. A revocation that accompanies a refusal must commit: return the refusal, throw it outside.
   * PostgreSQL may have it run again after a deadlock: it changes nothing but what `tx` changes.
   */
  transaction<T>(work: (tx: StoreVerbs) => Promise<T>): Promise<T>;
  /**
   * A number that changes, in the transaction of the change, with everything of an account that may be kept in memory:
   * the account, its hosts, its keys, its policies, its hooks, its clients and what they are linked to. Null when there is no such account.
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
  /** A consistent copy into a new file while the service runs (SQLite; PostgreSQL has its own tools). */
  backup(file: string): Promise<void>;
  /** How the schema, or a migration that was applied, differs from this release's: a line each, in words for operators. */
  findSchemaFaults(): Promise<string[]>;
  /** What a look at every page and index of an SQLite file finds wrong; of PostgreSQL, which has tools for it, nothing. */
  findDamage(): Promise<string[]>;
  close(): Promise<void>;
}
