/** The caller of the management API: the credential of a bearer token and its scopes. */
export interface Caller {
  readonly accountId: number;
  readonly credentialId: number;
  readonly clientId: string;
  readonly scopes: readonly string[];
}
