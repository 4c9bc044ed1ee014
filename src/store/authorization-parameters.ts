/** What clients ask for at the authorization endpoint. */

import type { ResponseType } from './client-metadata.ts';

export type ResponseMode = 'query' | 'fragment' | 'form_post';

/** What the client asked for at the authorization endpoint, validated. */
export interface AuthorizationParameters {
  readonly redirectUri: string;
  /** Absent: query. */
  readonly responseMode?: ResponseMode;
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
  /** True: the client wants a second factor (`acr_values`). */
  readonly secondFactor?: boolean;
  /** The API authorization server that `resource` named (RFC 8707 §2.1). */
  readonly serverId: number | null;
  /** The `sub` of the one user who may be signed in for this; absent: anyone. */
  readonly subject?: string;
  /** The values of `acr` any of which the sign-in must have; absent: any. */
  readonly essentialAcr?: readonly string[];
  /** Claims asked for one by one. */
  readonly claims?: ClaimsRequest;
  /** Thumbprint of the key that the code is for (RFC 9449 §10). */
  readonly dpopKey?: string;
  /** True: the client asked for `offline_access`, so that what it is granted outlives the session. */
  readonly offlineAccess?: boolean;
  /** What the user allowed at APIs in this request, as grants keep it; absent: nobody was asked, or nothing of an API. */
  readonly apiScopes?: readonly string[];
  /** The device that waits for it; absent: the client gets its answer at the redirect URI. */
  readonly device?: AwaitingDevice;
}

/** Which device waits for a sign-in (RFC 8628 §3.3). */
export interface AwaitingDevice {
  /** Of the device code. */
  readonly digest: string;
  /** The user code as the page shows it, sealed under the account's data key. */
  readonly sealedUserCode: string;
}

/** Claims by name, each with the values any of which would do; null: whatever it is (OpenID Connect Core §5.5.1). */
export type AskedClaims = Readonly<Record<string, readonly unknown[] | null>>;

/** Where claims are asked for one by one. */
export interface ClaimsRequest {
  readonly idToken: AskedClaims;
  readonly userinfo: AskedClaims;
}
