import type { Command } from 'commander';
import { Failure } from '../domain/failure.ts';
import { assignPolicy, findPolicyId } from '../domain/policies/policies.ts';
import { requireRole } from '../domain/roles/full-role.ts';
import { createRole } from '../domain/roles/write-role.ts';
import { addCommand, addGroup, type Outlet, readPairs } from './command.ts';
import { fields } from './output.ts';
import { withAccount } from './session.ts';

export function addRoleCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'role', 'roles of users');
  addCommand<{ account: string }>(group, 'create <name>', 'create a role', outlet, (call) =>
    withAccount(call.options.account, async (services, account) => {
      const { id, name } = await createRole(services, account, { name: call.args[0] as string });
      return { json: { id, name }, text: fields({ id, name }) };
    }),
  ).requiredOption('--account <subdomain>', 'the account');
  addCommand<{ account: string }>(group, 'set <name> <pairs...>', 'change a role: key=value', outlet, (call) => {
    const [name, pairs] = call.args as [string, string[]];
    const policy = readPolicy(readPairs(pairs));
    return withAccount(call.options.account, async (services, account) => {
      const { id } = await requireRole(services.store, account, name);
      await assignPolicy(services, account, { roleId: id }, await findPolicyId(services.store, account, policy));
      return { json: { id, name, policy }, text: fields({ id, name, policy }) };
    });
  })
    .requiredOption('--account <subdomain>', 'the account')
    .addHelpText('after', '\nKeys: policy (the name of a policy; empty for none)');
}

function readPolicy({ policy, ...others }: Readonly<Record<string, string>>): string | null {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined || policy === undefined) {
    const name = unknown ?? 'policy';
    throw new Failure('value_invalid', { name, message: 'only policy can be set: policy=<name>' });
  }
  return policy || null;
}
