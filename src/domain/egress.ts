/** Requests that leave the service at somebody else's wish: a hook's `fetch`, a client's `jwks_uri`. */

/** A host that the operator listed, with the one scheme and port under which it may be asked. */
export interface EgressHost {
  readonly scheme: 'http' | 'https';
  /** As in a URL: lower case, an IPv6 address in brackets, no dot at the end. */
  readonly hostname: string;
  readonly port: number;
}

/** Where requests may go, as a setting says: nowhere when `public` is false and no host is listed. */
export interface EgressRules {
  /** Any public address, by https on port 443. */
  readonly public: boolean;
  readonly hosts: readonly EgressHost[];
}

/** Why there is no response, with the words for the caller. They tell nothing about what stands behind an address. */
const egressFailures = {
  disabled: 'requests are switched off',
  url_invalid: 'the URL is invalid or contains credentials',
  scheme_forbidden: 'only https is allowed',
  port_forbidden: 'only port 443 is allowed',
  host_forbidden: 'this host is not allowed',
  address_forbidden: 'this address is not public',
  name_unresolved: 'the host has no public address',
  method_forbidden: 'this method is not allowed',
  header_invalid: 'a header is malformed, or there are too many',
  body_forbidden: 'a GET or HEAD request must not have a body',
  body_too_large: 'the body of the request is too large',
  busy: 'too many requests are under way',
  connection_failed: 'the connection failed',
  tls_failed: 'the certificate of the host is not valid',
  response_invalid: 'the response cannot be read',
  response_too_large: 'the response is too large',
  redirect_forbidden: 'the redirect cannot be followed',
  too_many_redirects: 'there were too many redirects',
  timeout: 'the response took too long',
} as const;

export type EgressFailure = keyof typeof egressFailures;

export type EgressHeaders = readonly (readonly [name: string, value: string])[];

/** What the service itself asks for. */
export type EgressPurpose = 'keys' | 'request object' | 'list of redirect URIs' | 'notice';

export interface EgressRequest {
  /** `notice` unless said; what is under way is bounded by purpose. A hook's has none. */
  readonly purpose?: EgressPurpose;
  /** At whose wish: what is under way is bounded by account. */
  readonly accountId: number;
  /** For a client that registered in the open: all of them have half of the places, so that others find one. */
  readonly forOpenClient?: boolean;
  readonly url: string;
  readonly method: string;
  readonly headers: EgressHeaders;
  readonly body: Buffer | null;
  /** `manual` answers the redirect itself, `error` fails with `redirect_forbidden`. */
  readonly redirect: 'follow' | 'manual' | 'error';
}

export interface EgressResponse {
  /** Of the last request. */
  readonly url: string;
  readonly redirected: boolean;
  readonly status: number;
  readonly statusText: string;
  /** Names in lower case. */
  readonly headers: EgressHeaders;
  readonly body: Buffer;
  /** What the body is still coded in, where the caller decodes it; absent where it is plain. */
  readonly coding?: 'gzip';
}

export type EgressResult =
  | { readonly ok: true; readonly response: EgressResponse }
  | { readonly ok: false; readonly failure: EgressFailure };

export interface Egress {
  /** Never rejects. An aborted `signal` ends the request with `timeout`. */
  fetch(request: EgressRequest, signal?: AbortSignal): Promise<EgressResult>;
}
