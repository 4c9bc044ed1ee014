/** An example in the help of every command. */

import type { Command } from 'commander';

/** By the words of the command, without `gatehouse`; a group shows that of its first command. */
const examples: Readonly<Record<string, readonly string[]>> = {
  serve: ['serve', 'serve --demo', 'serve --processes auto'],
  'account create': ['account create acme --name "Acme Inc." --host id.acme.example'],
  'account list': ['account list --json'],
  'account show': ['account show acme'],
  'account set': ['account set acme registration=closed refresh.idle_days=30', 'account set acme refresh.idle_days='],
  'credential create': ['credential create --account acme --scope manage_users --scope read_all'],
  'credential list': ['credential list --account acme'],
  'credential revoke': ['credential revoke 3f1c9a2e7b --account acme --yes'],
  'api-key create': ['api-key create --account acme --name payroll'],
  'api-key list': ['api-key list --account acme'],
  'api-key revoke': ['api-key revoke 3 --account acme --yes'],
  'administrator add': ['administrator add --account acme --email ada@example.com --scope manage_all'],
  'administrator list': ['administrator list --account acme'],
  'administrator remove': ['administrator remove --account acme --email ada@example.com --yes'],
  'user create': ['user create --account acme --email ada@example.com --role staff --password -'],
  'user set': ['user set --account acme --email ada@example.com status=locked'],
  'user list': ['user list --account acme --json', "user list --account acme --email 'ada*' --limit 20"],
  'user show': ['user show --account acme --email ada@example.com'],
  'user invite': ['user invite --account acme --email ada@example.com'],
  'user unlock': ['user unlock --account acme --email ada@example.com'],
  'user delete': ['user delete --account acme --email ada@example.com --yes'],
  'user import': ['user import people.csv --account acme --dry-run'],
  'user export': ['user export --account acme > people.csv'],
  'role create': ['role create staff --account acme'],
  'role list': ['role list --account acme'],
  'role show': ['role show staff --account acme'],
  'role set': ['role set staff policy=Strict --account acme'],
  'role delete': ['role delete staff --account acme --yes'],
  'policy create': ['policy create Strict minimum_password_length=16 otp_required=on --account acme'],
  'policy list': ['policy list --account acme'],
  'policy show': ['policy show Strict --account acme'],
  'policy set': ['policy set Strict session_timeout_minutes=60 --account acme'],
  'policy delete': ['policy delete Strict --account acme --yes'],
  'app create': ['app create Shop redirect_uris=https://shop.example.com/callback roles=staff --account acme'],
  'app list': ["app list --account acme --name 'Sh*'"],
  'app show': ['app show 3 --account acme'],
  'app set': ['app set 3 redirect_uris=https://shop.example.com/in,http://127.0.0.1/in --account acme'],
  'app rotate-secret': ['app rotate-secret 3 --overlap 1440 --account acme'],
  'app delete': ['app delete 3 --account acme --yes'],
  'access grant': [
    'access grant --account acme --app 3 --role staff',
    'access grant --account acme --app 3 --user ada@example.com',
  ],
  'api list': ['api list --account acme'],
  'api set': [
    'api set 1 client_access=consent open=orders:read,orders:write --account acme',
    'api set 1 client_access=linked --account acme',
    'api set 1 resource_metadata=on --account acme',
  ],
  'access revoke': ['access revoke --account acme --app 3 --user ada@example.com'],
  'keys rotate': ['keys rotate --account acme', 'keys rotate --account acme --emergency --yes'],
  'keys list': ['keys list --account acme'],
  'hook new': ['hook new', 'hook new allow-countries'],
  'hook create': ['hook create --type pre-authentication --file hook.js --env STRICT_POLICY --account acme'],
  'hook push': ['hook push 7b0c1f1e-5a52-4b8e-9f0e-5b1a5c0f6c11 --file hook.js --account acme'],
  'hook list': ['hook list --account acme'],
  'hook show': ['hook show 7b0c1f1e-5a52-4b8e-9f0e-5b1a5c0f6c11 --source --account acme'],
  'hook delete': ['hook delete 7b0c1f1e-5a52-4b8e-9f0e-5b1a5c0f6c11 --account acme --yes'],
  'hook env list': ['hook env list --account acme'],
  'hook env set': ['hook env set STRICT_POLICY=7 --account acme'],
  'hook env delete': ['hook env delete STRICT_POLICY --account acme --yes'],
  'hook logs': ['hook logs 7b0c1f1e-5a52-4b8e-9f0e-5b1a5c0f6c11 --account acme --follow'],
  'hook replay': ['hook replay 0e9fdb53-8a68-4a5a-a0b4-1ad4a9ec0d2a --account acme --file draft.js'],
  'hook shadow': [
    'hook shadow 7b0c1f1e-5a52-4b8e-9f0e-5b1a5c0f6c11 --account acme --file draft.js',
    'hook shadow 7b0c1f1e-5a52-4b8e-9f0e-5b1a5c0f6c11 --account acme --off',
  ],
  'hook rollback': ['hook rollback 7b0c1f1e-5a52-4b8e-9f0e-5b1a5c0f6c11 --account acme'],
  'hook enable': ['hook enable 7b0c1f1e-5a52-4b8e-9f0e-5b1a5c0f6c11 --account acme'],
  'hook disable': ['hook disable 7b0c1f1e-5a52-4b8e-9f0e-5b1a5c0f6c11 --account acme'],
  'hook run': ['hook run hook.js --type pre-authentication --context context.json --env STRICT_POLICY=7'],
  'audit list': ['audit list --account acme --limit 20'],
  'audit verify': ['audit verify --account acme'],
  'deprecated report': ['deprecated report --account acme --days 30'],
  why: ['why 9f2c1f0a-5a52-4b8e-9f0e-5b1a5c0f6c11', 'why ada@example.com --account acme --app 3'],
  'db migrate': ['db migrate'],
  'db status': ['db status'],
  'db backup': ['db backup backups/gatehouse.db'],
  'db touch': ['db touch', 'db touch --account acme'],
  'db distribute': ['db distribute --plan'],
  'db copy': ['db copy sqlite:data/gatehouse.db postgres://gatehouse@127.0.0.1/gatehouse'],
  doctor: ['doctor', 'doctor https://mcp.example.com/mcp --sign-in'],
  prepare: ['prepare --slim'],
  completion: ['completion bash > ~/.local/share/bash-completion/completions/gatehouse', 'completion fish | source'],
};

/** Adds the examples to the help of the command and of those below it. */
export function addExamples(command: Command, words = ''): void {
  const [first] = command.commands;
  const shown = examples[words] ?? (first ? firstExample(first, words) : []);
  const lines = shown.map((example) => `  gatehouse ${example}\n`).join('');
  if (shown.length > 0) command.addHelpText('after', `\nExample${shown.length > 1 ? 's' : ''}:\n${lines}`.trimEnd());
  for (const below of command.commands) addExamples(below, wordsOf(words, below));
}

function firstExample(command: Command, words: string): readonly string[] {
  return examples[wordsOf(words, command)]?.slice(0, 1) ?? [];
}

function wordsOf(words: string, command: Command): string {
  return words === '' ? command.name() : `${words} ${command.name()}`;
}
