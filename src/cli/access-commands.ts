import type { Command } from 'commander';
import { Failure } from '../domain/failure.ts';
import { type AssigneeName, grantAccess, revokeAccess } from '../domain/users/access.ts';
import { accountOption, addCommand, addGroup, type Outlet, readId } from './command.ts';
import { withAccount } from './session.ts';

interface AccessOptions {
  readonly account: string;
  readonly app: string;
  readonly user?: string;
  readonly role?: string;
}

export function addAccessCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'access', 'who may use which app');
  const verbs = [
    ['grant', 'assign an app to a user or a role', grantAccess, 'is assigned to'],
    [
      'revoke',
      'unassign an app from a user or a role, and revoke what was granted to it',
      revokeAccess,
      'is no longer assigned to',
    ],
  ] as const;
  for (const [name, summary, apply, outcome] of verbs) {
    addCommand<AccessOptions>(group, name, summary, outlet, async ({ options }) => {
      const appId = readId('app', options.app);
      const assignee = readAssignee(options);
      return withAccount(options.account, async (services, account) => {
        await apply(services, account, appId, assignee);
        const [whom] = Object.values(assignee);
        return { json: { app_id: appId, ...assignee }, text: `app ${appId} ${outcome} ${whom}\n` };
      });
    })
      .requiredOption(...accountOption)
      .requiredOption('--app <app_id>', 'the app of a registered client')
      .option('--user <name>', 'a user, by e-mail address or user name')
      .option('--role <name>', 'everyone with a role');
  }
}

function readAssignee({ user, role }: AccessOptions): AssigneeName {
  if (user !== undefined && role === undefined) return { user };
  if (role !== undefined && user === undefined) return { role };
  throw new Failure('value_invalid', { name: 'user', message: 'give either --user or --role' });
}
