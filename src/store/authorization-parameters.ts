/** The parameters of authorization requests. */

import type { ResponseType } from './client-metadata.ts';

export type ResponseMode = 'query' | 'fragment' | 'form_post';

/** A client's request at the authorization endpoint, validated. */
export interface AuthorizationParameters {
  readonly redirectUri: string;
  /** Absent: query. */
  readonly responseMode?: ResponseMode;
  /** True: the client gets a signed JWT of the answer (JARM). */
  readonly signedResponse?: true;
  /** Absent: a code. */
  readonly responseType?: Exclude<ResponseType, 'code'>;
  readonly redirectUriGiven: boolean;
  readonly scope: readonly string[];
  readonly state: string | null;
  readonly nonce: string | null;
  readonly codeChallenge: string | null;
  readonly loginHint: string | null;
  readonly prompt: readonly string[];
  readonly maxAgeSeconds: number | null;
  /** True: the client requires a second factor (`acr_values`). */
  readonly secondFactor?: boolean;
  /** The API authorization server that `resource` named (RFC 8707 §2.1). */
  readonly serverId: number | null;
  /** The `sub` of the only user who may sign in; absent: anyone. */
  readonly subject?: string;
  /** The acceptable values of an essential `acr`; absent: any. */
  readonly essentialAcr?: readonly string[];
  /** Claims requested one by one. */
  readonly claims?: ClaimsRequest;
  /** Thumbprint of the key that the code is bound to (RFC 9449 §10). */
  readonly dpopKey?: string;
  /** True: the client requested `offline_access`, so the grant outlives the session. */
  readonly offlineAccess?: boolean;
  /** What the user allowed at APIs in this request, as grants keep it; absent: nobody was asked, or nothing of an API. */
  readonly apiScopes?: readonly string[];
  /** Digest of the pushed request that it came from, which the answer to the client uses up. */
  readonly pushed?: string;
  /** The `client_id` of a client without a row, which is the address of its metadata document. */
  readonly documentClient?: string;
  /** The device that waits for it; absent: the client gets its answer at the redirect URI. */
  readonly device?: AwaitingDevice;
}

/** The device that waits for a sign-in (RFC 8628 §3.3). */
export interface AwaitingDevice {
  /** Digest of the device code. */
  readonly digest: string;
  /** The user code as the page shows it, sealed under the account's data key. */
  readonly sealedUserCode: string;
}

/** Claims by name, each with its acceptable values; null: any value (OpenID Connect Core §5.5.1). */
export type AskedClaims = Readonly<Record<string, readonly unknown[] | null>>;

/** Where single claims are requested. */
export interface ClaimsRequest {
  readonly idToken: AskedClaims;
  readonly userinfo: AskedClaims;
}
