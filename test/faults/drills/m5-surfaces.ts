import { matrixDrill } from '../matrix-drill.ts';

/**
 * M5: what callers see. `npm test` samples it: on SQLite what no operation can be called with, scopes, answers of
 * doors, visits, variants of redirects, known clients, pollution, ends of links, and forms of the docs; on PostgreSQL a
 * part of each surface and one in twelve of what changes meanwhile.
 */
export const drill = matrixDrill({
  id: 'M5',
  title: 'surfaces, hooks, changes meanwhile, endings, the trail, and client libraries, all on both databases',
  files: [
    ...['api-1', 'api-2', 'api-v1', 'api-v3', 'auth-2', 'oauth2', 'oidc-2', 'pages', 'xml'].map(
      (surface) => `test/surfaces/${surface}/${surface}.test.ts`,
    ),
    ...['contexts', 'doors', 'failing', 'firing', 'loading', 'logging', 'migrating', 'on-sso', 'syntax'].map(
      (name) => `test/domain/hooks/${name}.test.ts`,
    ),
    'test/housekeeping.test.ts',
    'test/surfaces/api-2/hook-packages.test.ts',
    'test/surfaces/api-2/hook-stream.test.ts',
    'test/surfaces/api-2/interrupted-imports.test.ts',
    'test/metrics/product-metrics.test.ts',
    'test/tracing/traces.test.ts',
    'test/surfaces/pages/guesses.test.ts',
    'test/bench/growth/operations.test.ts',
    'test/faults/answers.test.ts',
    'test/faults/sources.test.ts',
    ...[
      'accounts/accounts',
      'accounts/claims-mapping',
      'audit/flows',
      'audit/verify',
      'authorization-servers/links',
      'callers/callers',
      'callers/still-admitted',
      'clients/expire-clients',
      'database-copy/copy-database',
      'endings/sessions',
      'explain/explain',
      'endings/statements',
      'hooks/risk',
      'hooks/strangers',
      'hooks/warm',
      'keys/signer',
      'login/approval',
      'login/check-password',
      'login/count-failures',
      'login/hooks-on-sso',
      'login/pending',
      'means/notices',
      'means/times',
      'opening/admit',
      'opening/bounds',
      'opening/changed-meanwhile',
      'own-account/visits',
      'passkeys/challenge',
      'password-reset/ask',
      'password-reset/mails',
      'policies/policies',
      'sign-out/notices',
      'sign-out/slow-clients',
      'tokens/unlinked',
      'users/people/import',
      'users/users',
      'wake-after-commit',
      'why/why',
    ].map((name) => `test/domain/${name}.test.ts`),
    ...['fapi-client', 'fapi-modules', 'oauth4webapi', 'oidc-modules', 'openid-client', 'signed-requests'].map(
      (name) => `test/conformance/${name}.test.ts`,
    ),
    'test/conformance/signing-client.test.ts',
    'test/http/docs.test.ts',
  ],
});
