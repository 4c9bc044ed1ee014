import type { ClientRecord } from './clients.ts';
import type { ListPage, ListQuery } from './listing.ts';
import type { Changes, New } from './row.ts';
import type { Milliseconds } from './time.ts';

/** Which clients get a server's tokens: linked ones only, or any that a user lets use the server's open scopes. */
export type ClientAccess = 'linked' | 'consent';

/** An API authorization server: its tokens' audience and lifetimes. */
export interface AuthorizationServerRecord {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  /** An absolute URI: the `resource` that clients name (RFC 8707), and the audience of the tokens. */
  readonly resourceIdentifier: string;
  /** Additional audiences. */
  readonly audiences: readonly string[];
  /** Null: the lifetime of opaque access tokens. */
  readonly accessTokenMinutes: number | null;
  /** Idle time of a refresh token; null: as in the account's settings. */
  readonly refreshTokenMinutes: number | null;
  readonly clientAccess: ClientAccess;
  /** Whether anybody can read its metadata (RFC 9728). */
  readonly resourceMetadata: boolean;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

/** A scope of one API authorization server. */
export interface ServerScopeRecord {
  readonly accountId: number;
  readonly serverId: number;
  readonly id: number;
  readonly value: string;
  readonly description: string | null;
  /** Whether a client that is not linked can have it, where `clientAccess` lets it. */
  readonly open: boolean;
  readonly createdAt: Milliseconds;
}

/** A claim about the user in the tokens of one API authorization server. */
export interface ServerClaimRecord {
  readonly accountId: number;
  readonly serverId: number;
  readonly id: number;
  /** The claim's name. */
  readonly label: string;
  /** The user attribute that it contains, or `_macro_`. */
  readonly attribute: string;
  /** For `_macro_`: a text with `{attribute}` placeholders. */
  readonly macro: string | null;
  readonly createdAt: Milliseconds;
}

/** A client that may get an API authorization server's tokens. */
export interface ServerLinkRecord {
  readonly accountId: number;
  readonly serverId: number;
  readonly appId: number;
  /** Scopes of the server that the client may ask for; removed ones may still be listed and are ignored. */
  readonly scopeIds: readonly number[];
  readonly linkedAt: Milliseconds;
}

/** Everything needed to make the tokens of a client that is linked to a server, or has it by consent alone. */
export interface LinkedServer {
  readonly server: AuthorizationServerRecord;
  /** The scopes that the client may ask for: those of its link, or the open ones. */
  readonly scopes: readonly ServerScopeRecord[];
  readonly claims: readonly ServerClaimRecord[];
  /** Null: the client is not linked, and has the server by its user's consent. */
  readonly linkedAt: Milliseconds | null;
}

/** Names one server of an account. */
export type ServerKey = { readonly id: number } | { readonly resourceIdentifier: string };

/** A link with the name of its client. */
type NamedLink = ServerLinkRecord & { readonly clientName: string };

/** API authorization servers. Every change takes effect with the next token, in all processes. */
export interface AuthorizationServerStore {
  /** Throws `conflict` with name `resource_identifier`. */
  create(server: New<AuthorizationServerRecord>): Promise<AuthorizationServerRecord>;
  find(accountId: number, id: number): Promise<AuthorizationServerRecord | null>;
  /** Fields: `id`, `name`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<AuthorizationServerRecord>>;
  /** Changes the given members; null when there is no such server. Throws `conflict` as `create` does. */
  update(
    accountId: number,
    id: number,
    changes: Partial<Omit<AuthorizationServerRecord, 'accountId' | 'id' | 'createdAt'>>,
  ): Promise<AuthorizationServerRecord | null>;
  /** Removes the server with its scopes and claims, and its links as `unlink` does; null when there is none. */
  remove(accountId: number, id: number, at: Milliseconds): Promise<number | null>;
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
    changes: Changes<ServerScopeRecord, 'value' | 'description' | 'open'>,
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
  /** Inside a transaction, a link that exists cannot be removed until it ends. */
  holdLink(accountId: number, serverId: number, appId: number): Promise<boolean>;
  /**
   * Removes a link, and ends the app's grants that are for this server only. Returns how many were revoked so far; null
   * when there is no such link. The others are dead and are revoked later (`Clearing`); they stay dead when the app is
   * linked again.
   */
  unlink(accountId: number, serverId: number, appId: number, at: Milliseconds): Promise<number | null>;
  /** The servers that a client is linked to, in order of linking. */
  ofClient(accountId: number, appId: number): Promise<readonly LinkedServer[]>;
  /**
   * The first `limit` clients that are linked to one of these servers, have this grant type, and are assigned to the
   * user.
   */
  linkedFor(
    accountId: number,
    serverIds: readonly number[],
    by: { readonly grantType: string; readonly userId: number },
    limit: number,
  ): Promise<ClientRecord[]>;
  /** The server as a client has it by consent, with its open scopes; null where `clientAccess` lets none. */
  findOpen(accountId: number, key: ServerKey): Promise<LinkedServer | null>;
  /** The identifiers of the first `limit` servers that clients have by consent. */
  listOpenIdentifiers(accountId: number, limit: number): Promise<string[]>;
  /**
   * Inside a transaction that makes a grant: whether a client can have the server by consent, which `endOpen` cannot end
   * before the transaction does. Notes that the client has it.
   */
  holdOpen(accountId: number, serverId: number, appId: number): Promise<boolean>;
  /**
   * Ends the grants for this server of clients that have it by consent alone, as `unlink` does; part of the transaction
   * that changed `clientAccess`. Returns how many were revoked so far.
   */
  endOpen(accountId: number, serverId: number, at: Milliseconds): Promise<number>;
}
