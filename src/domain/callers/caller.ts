/** Who calls the management API: the credential behind a bearer token, and what it may do. */
export interface Caller {
  readonly accountId: number;
  readonly credentialId: number;
  readonly clientId: string;
  readonly scopes: readonly string[];
}
