import type { ListPage, ListQuery } from './listing.ts';
import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';

/** Client id and secret with which a program gets tokens for the management API. */
export interface CredentialRecord {
  readonly accountId: number;
  readonly id: number;
  readonly clientId: string;
  readonly secretDigest: string;
  readonly scopes: readonly string[];
  readonly createdAt: Milliseconds;
  readonly revokedAt: Milliseconds | null;
}

/** An access token issued to a credential. */
export interface CredentialTokenRecord {
  readonly accountId: number;
  readonly id: number;
  readonly digest: string;
  readonly credentialId: number;
  readonly createdAt: Milliseconds;
  readonly expiresAt: Milliseconds;
  readonly revokedAt: Milliseconds | null;
}

/** A key for the deprecated surfaces. */
export interface ApiKeyRecord {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  readonly digest: string;
  readonly createdAt: Milliseconds;
  readonly revokedAt: Milliseconds | null;
}

/** A token for the API, and the credential it was issued to. */
export interface CredentialToken {
  readonly token: CredentialTokenRecord;
  readonly credential: CredentialRecord;
}

export interface CallerStore {
  /** Others that are made wait until the transaction ends. */
  createCredential(credential: New<CredentialRecord>): Promise<CredentialRecord>;
  findCredential(accountId: number, clientId: string): Promise<CredentialRecord | null>;
  listCredentials(accountId: number): Promise<CredentialRecord[]>;
  /** False when there is no such active credential. Its tokens are inactive from then on. */
  revokeCredential(accountId: number, clientId: string, at: Milliseconds): Promise<boolean>;
  /** The same by its number. */
  revokeCredentialById(accountId: number, id: number, at: Milliseconds): Promise<boolean>;
  /** Active credentials. Fields: `id`, `client_id`. */
  pageCredentials(accountId: number, query: ListQuery): Promise<ListPage<CredentialRecord>>;
  addToken(token: New<CredentialTokenRecord>): Promise<CredentialTokenRecord>;
  findToken(accountId: number, id: number): Promise<CredentialToken | null>;
  /** In the order of the ids. */
  findTokens(accountId: number, ids: readonly number[]): Promise<(CredentialToken | null)[]>;
  /** False when it was revoked before. */
  revokeToken(accountId: number, tokenId: number, at: Milliseconds): Promise<boolean>;
  /** As `createCredential`. */
  createApiKey(key: New<ApiKeyRecord>): Promise<ApiKeyRecord>;
  listApiKeys(accountId: number): Promise<ApiKeyRecord[]>;
  /** Active keys. Fields: `id`, `name`. */
  pageApiKeys(accountId: number, query: ListQuery): Promise<ListPage<ApiKeyRecord>>;
  findApiKey(digest: string): Promise<ApiKeyRecord | null>;
  revokeApiKey(accountId: number, id: number, at: Milliseconds): Promise<boolean>;
}
