import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliFolder } from '../support/cli.ts';
import type { Mistake } from './mistake.ts';

const files: Readonly<Record<string, string | Buffer>> = {
  'twice.csv': 'email,email\na,b\n',
  'quote.csv': 'email\n"a@b.c',
  'latin.csv': Buffer.from('email\nJos\xe9@example.com\n', 'latin1'),
  'people.txt': 'x',
  'unknown.csv': 'email,mail\na@example.com,b\n',
  'plain.csv': 'email,password_hash\na@example.com,hunter2hunter2\n',
  'people.csv': 'email\nq@example.com\n',
  'people.ndjson': '[]\n',
  'quote.env': 'SERVICE_DOMAIN="id.example.com\nPORT=3000\n',
  'unknown.env': 'PROT=3000\n',
  'line.env': 'PORT 3000\n',
  'context.json': '{}',
  'broken.json': '{',
  'syntax.js': 'exports.handler = async (c => 1;',
  'module.js': 'export default async () => ({});',
  'nothing.js': 'const a = 1;',
  'typo.js': 'exports.hander = async () => ({ success: true });',
  'throws.js': "exports.handler = async () => { throw new Error('no table'); };",
  'reads.js': 'exports.handler = async (context) => context.user.profile.name;',
  'loops.js': 'exports.handler = () => { for (;;); };',
  'grows.js': 'exports.handler = () => { const all = []; for (;;) all.push(new Array(1e6)); };',
  'package.js': "const dates = require('date-fns'); exports.handler = async () => ({ success: true });",
  'fetches.js': "exports.handler = async () => fetch('http://127.0.0.1:1/');",
};

const unknownHook = '9f2c1f0a-5a52-4b8e-9f0e-5b1a5c0f6c11';
const run = 'hook run --type pre-authentication --context context.json';

/** A command, and what it says. */
const mistakes: readonly (readonly [command: string, says: RegExp])[] = [
  ['acount list', /Did you mean account\?/],
  ['user ls', /Did you mean list\?[\s\S]*gatehouse user --help/],
  ['user list', /--account[\s\S]*gatehouse user list --help/],
  ['user list --acount acme', /--account[\s\S]*--help/],
  ['user list --account', /argument missing[\s\S]*--help/],
  ['user list --account nobody', /gatehouse account list/],
  ['--vers', /--help/],
  ['account create', /subdomain[\s\S]*--help/],
  ['account create Acme', /lower-case letters/],
  ['account create api', /reserved; choose another/],
  ['account create acme', /already been taken; choose another/],
  ['account create x --host http://id.example.com', /a host name with an optional port/],
  ['account create x --host acme.localhost:3000', /are subdomains[\s\S]*gatehouse account create/],
  ['account show nobody', /gatehouse account list/],
  ['account set acme', /missing required argument[\s\S]*--help/],
  ['account set acme registration', /key=value/],
  ['account set acme registration=perhaps', /`closed`, `token`, or `open`/],
  ['account set acme registraton=open', /settings are registration,/],
  ['account set acme refresh.idle_days=1y', /whole number from/],
  ['account set nobody registration=open', /gatehouse account list/],
  ['account set acme limit.sign-in=lots', /N\/s/],
  ['account set acme claims_mapping=shoe=size', /pairs `claim=attribute`[\s\S]*`nickname`/],
  ['account set acme claims_mapping=nickname=nick', /must be a custom attribute, or one of firstname/],
  ['account set acme open_registration_roles=boss', /gatehouse role create/],
  ['credential create --account acme', /--scope[\s\S]*--help/],
  ['credential create --account acme --scope everything', /scopes are/],
  ['credential revoke --account acme nothing --yes', /gatehouse credential list/],
  ['credential revoke --account acme nothing', /with --yes .* cannot be undone. Nothing was changed/],
  ['api-key create --account acme --what', /unknown option[\s\S]*--help/],
  ['api-key revoke --account acme 9 --yes', /gatehouse api-key list/],
  ['user create --account acme', /--email[\s\S]*--help/],
  ['user create --account acme --email ada', /name@domain/],
  ['user create --account acme --email ada@example.com', /already been taken/],
  ['user create --account acme --email b@example.com --password short', /8 to 256 characters/],
  ['user create --account acme --email b@example.com --role boss', /gatehouse role create/],
  ['user set --account acme --email no@example.com status=active', /gatehouse user list/],
  ['user set --account acme --email ada@example.com status=asleep', /one of active, locked, suspended/],
  ['user set --account acme --email ada@example.com colour=red', /keys are email/],
  ['user set --account acme status=active', /--email[\s\S]*--help/],
  ['user import --account acme none.csv', /cannot be opened: no such file/],
  ['user import --account acme people.txt', /--format/],
  ['user import --account acme twice.csv', /occurs twice; remove/],
  ['user import --account acme quote.csv', /line 2: Quote Not Closed/],
  ['user import --account acme latin.csv', /not UTF-8; save it again/],
  ['user import --account acme unknown.csv', /members are email/],
  ['user import --account acme plain.csv', /needs a password_algorithm/],
  ['user import --account acme people.ndjson', /must be a JSON object/],
  ['user import --account acme people.csv --existing merge', /one of skip, update, fail/],
  ['user import --account acme people.csv --report people.csv', /already exists; name a new file/],
  ['user export --account acme --format xml', /one of csv, ndjson/],
  ['role create --account acme', /name[\s\S]*--help/],
  ['role create staff --account acme', /already been taken/],
  ['role set staff nam=x --account acme', /keys are name, policy/],
  ['access grant --account acme --app 1 --user ada@example.com', /gatehouse app list/],
  ['access grant --account acme --app one --user ada@example.com', /whole number from 1/],
  ['access grant --account acme --app 1', /either --user or --role/],
  ['access grant --account acme --app 1 --user a@b.c --role staff', /either --user or --role/],
  ['api set 1 --account acme', /missing required argument[\s\S]*--help/],
  ['api set one client_access=consent --account acme', /whole number from 1/],
  ['api set 9 client_access=consent --account acme', /gatehouse api list/],
  ['api set 1 client_access=open --account acme', /linked or consent/],
  ['api set 1 access=consent --account acme', /keys are client_access, open, resource_metadata/],
  ['api set 1 resource_metadata=yes --account acme', /on or off/],
  ['keys rotate', /--account[\s\S]*--help/],
  ['keys rotate --account acme --emergency', /with --yes .* cannot be undone. Nothing was changed/],
  [`hook logs ${unknownHook} --account acme`, /gatehouse hook list/],
  ['hook replay x --account acme', /--file[\s\S]*--help/],
  [`hook rollback ${unknownHook} --account acme`, /gatehouse hook list/],
  ['hook new countries', /use allow-countries, /],
  ['hook run syntax.js', /--type[\s\S]*--help/],
  ['hook run --type pre-authentication syntax.js', /--context[\s\S]*--help/],
  ['hook run --type login --context context.json syntax.js', /pre-authentication or user-migration/],
  ['hook run --type pre-authentication --context none.json throws.js', /cannot be read: no such file/],
  ['hook run --type pre-authentication --context broken.json throws.js', /not valid JSON: line 1, column 2/],
  [`${run} --runtime node99 throws.js`, /runtime must be jsruntime/],
  [`${run} missing.js`, /cannot be read: no such file/],
  [`${run} syntax.js`, /syntax\.js:1:31: missing \)/],
  [`${run} module.js`, /module\.js:1:1: Unexpected token 'export'/],
  [`${run} nothing.js`, /exports\.handler is not a function: write exports/],
  [`${run} typo.js`, /exports\.handler is not a function: write exports/],
  [`${run} throws.js`, /no table[\s\S]*hook\.js:1:\d+/],
  [`${run} reads.js`, /reading 'profile'[\s\S]*hook\.js:1:\d+/],
  [`${run} loops.js`, /timeout[\s\S]*has 1 s: look for a loop/],
  [`${run} grows.js`, /out_of_memory[\s\S]*keep less at a time/],
  [`${run} package.js`, /add --package date-fns@<version>/],
  [`${run} fetches.js`, /fetch failed: forbidden[\s\S]*HOOK_EGRESS/],
  ['audit list --account acme --limit many', /positive whole number/],
  ['audit list', /--account[\s\S]*--help/],
  ['deprecated report --account acme --days x', /from 1 to 9999/],
  ['why nonsense', /the reference that the page shows, or the e-mail address/],
  ['why nobody@example.com', /gatehouse user list/],
  ['why ada@example.com --app 7', /gatehouse app list/],
  [`why ${unknownHook}`, /log lines with this requestId/],
  ['db copy x y', /sqlite:<file> or postgres:/],
  ['db copy sqlite:data/gatehouse.db sqlite:data/gatehouse.db', /same database[\s\S]*name a new one/],
  ['db copy sqlite:none.db sqlite:other.db', /restore it from your backup, or set DATABASE_URL/],
  ['db backup /nowhere/x.db', /its folder does not exist/],
  ['db backup people.csv', /name a new file/],
  ['db migrat', /Did you mean migrate\?/],
  ['account list --env-file none.env', /none\.env cannot be opened: no such file/],
  ['account list --env-file quote.env', /line 1: the value of SERVICE_DOMAIN must end with the quote/],
  ['account list --env-file unknown.env', /did you mean PORT\?/],
  ['account list --env-file line.env', /line 1: must be NAME=value/],
  ['completion csh', /bash, zsh, fish/],
  ['serve --port 3000', /unknown option[\s\S]*gatehouse serve --help/],
];

/** Makes what the commands meet: an account with a user and a role, and the files. */
export async function prepareFolder(cli: CliFolder): Promise<void> {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cli.path, name), content);
  const account = ['--account', 'acme'];
  await cli.json('account', 'create', 'acme');
  await cli.json('role', 'create', 'staff', ...account);
  await cli.json('user', 'create', '--email', 'ada@example.com', ...account);
}

export function commandMistakes(cli: CliFolder): readonly Mistake[] {
  return mistakes.map(([command, says]) => ({
    made: `gatehouse ${command}`,
    told: async () => {
      const { exitCode, stdout, stderr } = await cli.ask(command.split(' '));
      if (exitCode === 0) return '';
      return `${stderr.replace(/^using database.*\n/, '')}${stdout}`.trim();
    },
    says,
  }));
}
