/** Rules that linters of others have and the contracts do not follow, each with its reason. */

export interface RuleException {
  /** As the linter calls it. */
  readonly rule: string;
  /** Surfaces on which it excuses something; on any other a finding of the rule is a fault. */
  readonly surfaces: readonly string[];
  /** Which schema or other part of the contract is excused; all when absent. */
  readonly excuses?: (found: unknown) => boolean;
  readonly reason: string;
}

const all = ['auth-2', 'oidc-2', 'oauth2', 'api-2'];

const hasEnum = (found: unknown) => typeof found === 'object' && found !== null && 'enum' in found;

export const spectralExceptions: readonly RuleException[] = [
  {
    rule: 'info-contact',
    surfaces: all,
    reason: 'The operator of the account is the contact, and the contract does not know who that is.',
  },
  {
    rule: 'owasp:api8:2023-no-server-http',
    surfaces: all,
    reason: 'The first server is the address that was asked: `http` on loopback, as here, and `https` in production.',
  },
  {
    rule: 'owasp:api9:2023-inventory-access',
    surfaces: all,
    reason: 'Whether an account is open to the public or internal is the decision of its operator.',
  },
  {
    rule: 'owasp:api9:2023-inventory-environment',
    surfaces: all,
    reason: 'Whether an account is for production or for tests is the decision of its operator.',
  },
  {
    rule: 'owasp:api8:2023-define-cors-origin',
    surfaces: all,
    reason:
      'The header is sent on the operations that browsers call from other origins alone; it is a matter between ' +
      'browser and service, and no client reads it.',
  },
  {
    rule: 'owasp:api4:2023-rate-limit',
    surfaces: all,
    reason:
      'The document names the headers of limits and the operations that send them. A 429 says `Retry-After` on every ' +
      'surface.',
  },
  {
    rule: 'owasp:api4:2023-rate-limit-responses-429',
    surfaces: ['auth-2', 'oauth2'],
    reason: 'These operations have no limit of their own.',
  },
  {
    rule: 'owasp:api4:2023-string-restricted',
    surfaces: all,
    reason:
      'Texts for people, values of other systems, and names in all scripts. They have bounds of length, and a ' +
      '`pattern` where characters are refused.',
  },
  {
    rule: 'owasp:api4:2023-integer-limit',
    surfaces: ['auth-2', 'api-2'],
    excuses: hasEnum,
    reason: 'Sets of values need no bounds beside their values.',
  },
  {
    rule: 'owasp:api2:2023-short-lived-access-tokens',
    surfaces: all,
    reason:
      'Tokens of the client credentials grant expire, and OAuth 2.0 gives no refresh token with them (RFC 6749 §4.4.3).',
  },
  {
    rule: 'owasp:api2:2023-jwt-best-practices',
    surfaces: all,
    reason: 'These bearer tokens are opaque, not JWTs.',
  },
  {
    rule: 'owasp:api2:2023-no-http-basic',
    surfaces: ['auth-2', 'oidc-2', 'oauth2'],
    reason:
      'Servers must support HTTP Basic for clients with a secret (RFC 6749 §2.3.1); others are offered beside it.',
  },
  {
    rule: 'owasp:api2:2023-no-credentials-in-url',
    surfaces: ['oauth2'],
    reason: 'OpenID Connect puts `id_token_hint` there; it is no credential, as it signs nobody in.',
  },
  {
    rule: 'owasp:api2:2023-read-restricted',
    surfaces: ['oauth2'],
    reason: 'Metadata and keys are public, and people sign in and out at the other two.',
  },
  {
    rule: 'owasp:api2:2023-write-restricted',
    surfaces: ['oauth2'],
    reason: 'People sign in and out there: OpenID Connect lets both requests be sent as forms.',
  },
  {
    rule: 'owasp:api8:2023-define-error-responses-401',
    surfaces: ['oauth2'],
    reason: 'These operations are public and never answer 401.',
  },
  {
    rule: 'owasp:api1:2023-no-numeric-ids',
    surfaces: ['api-2'],
    reason:
      'The document says that ids are numbers. They give no access: each call is held against its account and scope.',
  },
  {
    rule: 'owasp:api5:2023-admin-security-unique',
    surfaces: ['api-2'],
    reason:
      'The path is about administrators of a role, which are data here. It is not an endpoint for administrators.',
  },
  {
    rule: 'oas3-unused-component',
    surfaces: ['api-2'],
    reason: 'What hook functions get and answer: no operation of the contract carries it.',
  },
];

export const redoclyExceptions: readonly RuleException[] = [
  {
    rule: 'no-server-example.com',
    surfaces: all,
    reason: 'The service that is judged runs on loopback, and the first server is the address that was asked.',
  },
  {
    rule: 'operation-2xx-response',
    surfaces: ['oauth2'],
    reason: 'A sign-out leads the browser on: every success is a 303.',
  },
  {
    rule: 'no-ambiguous-paths',
    surfaces: ['api-2'],
    reason: 'The document gives these paths. Ids are numbers or UUIDs, so that no word is taken for one.',
  },
  {
    rule: 'no-unused-components',
    surfaces: ['api-2'],
    reason: 'What hook functions get and answer: no operation of the contract carries it.',
  },
];
