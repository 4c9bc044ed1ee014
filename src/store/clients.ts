import type { GrantType } from '../domain/clients/known-values.ts';
import type { ClientAuthMethod, ExtraMetadata, ResponseType } from './client-metadata.ts';
import type { NewEvent } from './events.ts';
import type { SigningAlgorithm } from './keys.ts';
import type { ListPage, ListQuery } from './listing.ts';
import type { Following } from './row.ts';
import type { Milliseconds } from './time.ts';

/** A registered client; the app is its management view and shares its row. */
export interface ClientRecord {
  readonly accountId: number;
  readonly appId: number;
  readonly clientId: string;
  readonly secretDigest: string | null;
  readonly name: string;
  readonly applicationType: 'web' | 'native';
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly grantTypes: readonly GrantType[];
  readonly responseTypes: readonly ResponseType[];
  readonly authMethod: ClientAuthMethod;
  /** Whether the registration named the method; if not, the secret may be sent either way. */
  readonly authMethodNamed: boolean;
  readonly subjectType: 'public' | 'pairwise';
  /** Clients of one sector see the same subject of a user; null: the whole account. */
  readonly sector: string | null;
  readonly idTokenAlg: SigningAlgorithm;
  /** Scopes the client may ask for; null: every scope the account knows. */
  readonly scope: readonly string[] | null;
  readonly extra: ExtraMetadata;
  /** `open`: by anyone, so it gets less, and consent to it is remembered only where the account says so. */
  readonly registeredBy: 'token' | 'open';
  /** The policy of sign-ins to the app; null: none of its own. */
  readonly policyId: number | null;
  /** Lifetime of its opaque access tokens; null: the default. */
  readonly accessTokenMinutes: number | null;
  /** Lifetime of an unused refresh token; null: as the account says. */
  readonly refreshTokenMinutes: number | null;
  readonly createdAt: Milliseconds;
  /** How many API authorization servers it is linked to; counted by the store. */
  readonly linkedServers: number;
  /** Whether it has, or had, grants for servers that it is not linked to; noted by the store. */
  readonly usesOpenServers: boolean;
  /** Digest of the previous secret while it is valid; null when there is none. */
  readonly previousSecretDigest: string | null;
  readonly previousSecretExpiresAt: Milliseconds | null;
}

/** The members of a client that its tokens depend on. */
export type TokenClient = Pick<ClientRecord, 'accountId' | 'appId' | 'clientId' | 'linkedServers' | 'sector'>;

/**
 * A client before it is stored: the store assigns the id and counts links. It has no previous secret and no lifetimes of
 * its own.
 */
export type NewClientRecord = Omit<
  ClientRecord,
  | 'appId'
  | 'linkedServers'
  | 'usesOpenServers'
  | 'previousSecretDigest'
  | 'previousSecretExpiresAt'
  | 'accessTokenMinutes'
  | 'refreshTokenMinutes'
> &
  Partial<ClientOwnership>;

/** Stored separately, since tokens do not depend on it. */
export interface ClientOwnership {
  /** Digest of the token with which the client manages its registration (RFC 7592 §3); null when it cannot. */
  readonly registrationTokenDigest: string | null;
}

/** An assertion with which a client authenticated, or a proof of a key that came with its request. */
export interface AssertionRecord {
  readonly accountId: number;
  readonly appId: number;
  /** A proof counts once in the account (RFC 9449 §11.1), an assertion once at its client. */
  readonly isProof: boolean;
  /** Digest of its `jti`. */
  readonly digest: string;
  readonly expiresAt: Milliseconds;
}

/** An open-registered client, and when it was last used. */
export interface OpenClient {
  readonly accountId: number;
  readonly appId: number;
  readonly createdAt: Milliseconds;
  /** In UTC, `2026-11-21`; null when it never was. */
  readonly lastUsedDay: string | null;
}

/** The description of an app beyond its client; stored separately, since tokens do not depend on it. */
export interface AppDetails {
  /** The kind of app in another system. */
  readonly connectorId: number;
  readonly description: string | null;
  readonly notes: string | null;
  /** Whether it is among the apps that users are shown. */
  readonly visible: boolean;
  readonly updatedAt: Milliseconds;
}

export type DetailedClient = ClientRecord & AppDetails;

export type NewClient = Following<NewClientRecord>;

/** A client to be created, and its event, which needs the client's id. */
interface NewRegistration {
  readonly client: NewClient;
  readonly eventOf: (appId: number) => NewEvent;
}

export interface ClientStore {
  create(client: NewClient): Promise<ClientRecord>;
  /**
   * The client with a metadata document, whose identifier is its address: as it is, or created. Null if the account has
   * `most` of them.
   */
  ensureDocument(
    client: NewClient,
    most: number,
  ): Promise<{ readonly client: ClientRecord; readonly isNew: boolean } | null>;
  /** Creates one with its event. */
  register(registration: NewRegistration): Promise<ClientRecord>;
  /** Creates several with their events and one durable commit, in the order given. */
  registerAll(registrations: readonly NewRegistration[]): Promise<ClientRecord[]>;
  /** Takes as long for an unknown client as for a known one. `fresh`: bypasses the cache. */
  find(accountId: number, clientId: string, fresh?: 'fresh'): Promise<ClientRecord | null>;
  findByApp(accountId: number, appId: number): Promise<ClientRecord | null>;
  /** Those of these apps that there are, in no order. */
  findByApps(accountId: number, appIds: readonly number[]): Promise<ClientRecord[]>;
  /** The client with this registration token digest. */
  findOwner(accountId: number, clientId: string, registrationTokenDigest: string): Promise<ClientRecord | null>;
  /**
   * The next open-registered clients of all accounts after this one (null: from the first). Use means any daily count
   * with a client as its subject.
   */
  sweepOpen(after: Pick<OpenClient, 'accountId' | 'appId'> | null, limit: number): Promise<OpenClient[]>;
  findApp(accountId: number, appId: number): Promise<DetailedClient | null>;
  /** Stores the assertion as used until it expires: true for exactly one caller. */
  useAssertion(assertion: AssertionRecord): Promise<boolean>;
  /**
   * Fields: `id` (of the app), `name`, `connector_id`, `visible` (0, 1), `created_at`, `updated_at`; `client_id` by
   * `is`; `unused_since` (a day, `2026-11-21`) by `is`: made before it, and without a daily count since.
   */
  pageApps(accountId: number, query: ListQuery): Promise<ListPage<DetailedClient>>;
  /** Changes the given members; false when there is no such client. */
  update(
    accountId: number,
    appId: number,
    changes: Partial<Omit<DetailedClient, 'accountId' | 'appId' | 'clientId' | 'createdAt'>>,
  ): Promise<boolean>;
  /** Clients whose app the user may use. Fields as `pageApps`. */
  pageOfUser(accountId: number, userId: number, query: ListQuery): Promise<ListPage<ClientRecord>>;
  /** Clients whose app the role gives. Fields as `pageOfUser`. */
  pageOfRole(accountId: number, roleId: number, query: ListQuery): Promise<ListPage<ClientRecord>>;
  /** The former secret stays valid until `previousUntil`; without that it ends. The one before it always ends. */
  replaceSecret(
    accountId: number,
    appId: number,
    secretDigest: string,
    previousUntil?: Milliseconds | null,
  ): Promise<boolean>;
  /**
   * Removes the client with its access, consents, codes, grants and tokens, as `UserStore.remove`; false when there is
   * none.
   */
  remove(accountId: number, appId: number, at: Milliseconds): Promise<boolean>;
}
