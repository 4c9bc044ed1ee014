import { matrixDrill } from '../matrix-drill.ts';

/**
 * M5: what callers see; `npm test` runs all of it on SQLite but eight ninths of what no operation can be called with, and
 * on PostgreSQL a part of each surface and one in twelve of what changes meanwhile.
 */
export const drill = matrixDrill({
  id: 'M5',
  title: 'surfaces, hooks, changes meanwhile, endings, the trail, and client libraries, all on both databases',
  files: [
    ...['api-1', 'api-2', 'api-v1', 'api-v3', 'auth-2', 'oauth2', 'oidc-2', 'pages', 'xml'].map(
      (surface) => `test/surfaces/${surface}/${surface}.test.ts`,
    ),
    ...['contexts', 'doors', 'failing', 'firing', 'logging', 'migrating', 'on-sso'].map(
      (name) => `test/domain/hooks/${name}.test.ts`,
    ),
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
      'accounts/claims-mapping',
      'audit/flows',
      'audit/verify',
      'database-copy/copy-database',
      'endings/sessions',
      'explain/explain',
      'endings/statements',
      'means/notices',
      'means/times',
      'opening/changed-meanwhile',
      'own-account/visits',
      'password-reset/ask',
      'password-reset/mails',
      'sign-out/notices',
      'users/people/import',
      'wake-after-commit',
      'why/why',
    ].map((name) => `test/domain/${name}.test.ts`),
    ...['fapi-client', 'fapi-modules', 'oauth4webapi', 'oidc-modules', 'openid-client', 'signed-requests'].map(
      (name) => `test/conformance/${name}.test.ts`,
    ),
    'test/conformance/signing-client.test.ts',
  ],
});
