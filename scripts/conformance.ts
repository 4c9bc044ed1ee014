/**
 * Runs client libraries of other languages, unmodified, against a service of this checkout on loopback: each language
 * fetches its pinned packages into a temporary folder. A language whose toolchain is not there is left out and named.
 * Exit 1 when a program failed.
 *
 *     npm run conformance                            all languages
 *     npm run conformance -- python go               those
 *     npm run conformance -- --folder <path> python  keep what was fetched there, for the next run
 *
 * With `--account` it makes the account of a certification run instead: docs/certify.md.
 *
 *     npm run conformance -- --account certify [--mutual-tls <origin>] [--folder <path>] [--suite <URL>]
 *                            [--alias <name>] [--env-file <file>] [--json]
 */
import { parseArgs } from 'node:util';

function readArguments() {
  const usage = 'npm run conformance -- [language…] [--folder <path>], or --account <subdomain> (docs/certify.md)';
  try {
    const given = parseArgs({
      allowPositionals: true,
      options: {
        folder: { type: 'string' },
        account: { type: 'string' },
        suite: { type: 'string' },
        alias: { type: 'string' },
        'mutual-tls': { type: 'string' },
        'env-file': { type: 'string' },
        json: { type: 'boolean' },
      },
    });
    const { account, folder: _, ...others } = given.values;
    const [first] = account === undefined ? Object.keys(others) : given.positionals;
    if (first === undefined) return given;
    const why = account === undefined ? `--${first} needs --account` : `${first} does not go with --account`;
    console.error(`${why}\n${usage}`);
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
  }
  process.exit(2);
}

const { positionals, values } = readArguments();
const { account, suite = 'https://www.certification.openid.net', alias = 'gatehouse', json = false } = values;
if (account === undefined) {
  const { runLanguages } = await import('./conformance/languages.ts');
  process.exitCode = await runLanguages(positionals, values.folder);
} else {
  // It needs nothing that is for development alone, so that an installation can run it.
  const { runCertify } = await import('./conformance/run-certify.ts');
  const { folder, 'env-file': envFile, 'mutual-tls': mutualTls } = values;
  process.exitCode = await runCertify(account, { url: suite, alias }, { envFile, json, folder, mutualTls });
}
