import { CommanderError } from 'commander';
import { ConfigMistakes } from '../config.ts';
import { Failure, type FailureCode } from '../domain/failure.ts';
import { explainLoadingError } from '../runtime/add-ons.ts';
import { Unconfirmed } from './confirm.ts';

interface ReportedError {
  readonly error: string;
  /** One line. */
  readonly message: string;
  /** 2 for a usage error, else 1; a missing `--yes` is one. */
  readonly exitCode: number;
}

/** Describes any error of a command: a code for scripts and a message for people. */
export function describeError(error: unknown): ReportedError {
  if (error instanceof CommanderError) {
    const message = error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '');
    return report('usage_invalid', message, 2);
  }
  if (error instanceof Unconfirmed) return report('not_confirmed', error.message, error.exitCode);
  if (error instanceof ConfigMistakes) return report('configuration_invalid', error.message);
  if (error instanceof Failure) return report(error.code, messageOf(error));
  const unfit = explainLoadingError(error);
  if (unfit !== null) return report('platform_unfit', unfit);
  return report('internal', error instanceof Error ? error.message : String(error));
}

function report(
  error: FailureCode | 'usage_invalid' | 'not_confirmed' | 'configuration_invalid' | 'platform_unfit',
  message: string,
  exitCode = 1,
): ReportedError {
  return { error, message: message.replace(/\s*[\r\n]+\s*/g, ' ').trim(), exitCode };
}

/** Where what was not found is listed, by its kind. */
const lists: Readonly<Record<string, string>> = {
  account: 'gatehouse account list shows the accounts',
  credential: 'gatehouse credential list shows the active ones',
  'api key': 'gatehouse api-key list shows the active ones',
  user: 'gatehouse user list shows the users',
  role: 'gatehouse role list shows the roles, and gatehouse role create makes one',
  app: 'gatehouse app list shows the apps',
  access: 'gatehouse app show and gatehouse role show tell who may use which app',
  policy: 'gatehouse policy list shows the policies',
  hook: 'gatehouse hook list shows the hooks',
  variable: 'gatehouse hook env list shows the variables',
  server: 'gatehouse api list shows them',
};

/** The domain names members as the API has them: what is typed here in their place, and where one is made. */
const typed: readonly (readonly [member: RegExp, here: string])[] = [
  [/\bconfiguration\.(access|refresh)_token_expiration_minutes\b/g, '$1_token_minutes'],
  [/\bconfiguration\.(redirect|post_logout_redirect)_uri\b/g, '$1_uris'],
  [/\bconfiguration\.(?=[a-z_]+)/g, ''],
  [/\benv_vars\.\d+ /g, '--env '],
  [/\bPOST \/api\/2\/hooks\/envs makes one\b/g, 'gatehouse hook env set makes one'],
];

function messageOf({ code, detail }: Failure): string {
  if (detail.message !== undefined) {
    const list = code === 'not_found' && detail.name !== undefined ? lists[detail.name] : undefined;
    const message = typed.reduce((text, [member, here]) => text.replaceAll(member, here), detail.message);
    return list === undefined ? message : `${message}; ${list}`;
  }
  const reason = detail.reason === undefined ? '' : ` (${detail.reason})`;
  if (code === 'conflict') return `${detail.name ?? 'name'} has already been taken; choose another`;
  if (code === 'unavailable') return `the service cannot do this now${reason}`;
  return `${code.replaceAll('_', ' ')}${reason}`;
}
