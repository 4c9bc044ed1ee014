/** Outgoing requests to addresses chosen by others: a hook's `fetch`, a client's `jwks_uri`. */

/** A host that the operator listed, with the only scheme and port that may be used for it. */
export interface EgressHost {
  readonly scheme: 'http' | 'https';
  /** As in a URL: lower case, an IPv6 address in brackets, no trailing dot. */
  readonly hostname: string;
  readonly port: number;
}

/** Where requests may go: nowhere when `public` is false and no host is listed. */
export interface EgressRules {
  /** Any public address, by https on port 443. */
  readonly public: boolean;
  readonly hosts: readonly EgressHost[];
}

/** Why there is no response, worded for the caller. The words reveal nothing about what is at an address. */
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

/** The purposes of the service's own requests. */
/** Of a client's metadata document, as its draft recommends. */
export const mostDocumentBytes = 5 * 1024;

export type EgressPurpose = 'keys' | 'client metadata' | 'request object' | 'list of redirect URIs' | 'notice';

export interface EgressRequest {
  /** Default: `notice`. Concurrent requests are limited per purpose; a hook's request has no purpose. */
  readonly purpose?: EgressPurpose;
  /** The account that causes the request: concurrent requests are limited per account. */
  readonly accountId: number;
  /** For an open-registered client: together these get half of the places, so that others find one. */
  readonly forOpenClient?: boolean;
  readonly url: string;
  readonly method: string;
  readonly headers: EgressHeaders;
  readonly body: Buffer | null;
  /** `manual` returns the redirect itself, `error` fails with `redirect_forbidden`. */
  readonly redirect: 'follow' | 'manual' | 'error';
}

export interface EgressResponse {
  /** The URL of the last request. */
  readonly url: string;
  readonly redirected: boolean;
  readonly status: number;
  readonly statusText: string;
  /** Names in lower case. */
  readonly headers: EgressHeaders;
  readonly body: Buffer;
  /** The remaining content coding, if the caller decodes it; absent if there is none. */
  readonly coding?: 'gzip';
}

export type EgressResult =
  | { readonly ok: true; readonly response: EgressResponse }
  | { readonly ok: false; readonly failure: EgressFailure };

export interface Egress {
  /** Never rejects. Aborting `signal` ends the request with `timeout`. */
  fetch(request: EgressRequest, signal?: AbortSignal): Promise<EgressResult>;
}
