import type { Command } from 'commander';
import { matching } from '../domain/listing.ts';
import { findPolicyId } from '../domain/policies/policies.ts';
import { readFullRole, requireRole } from '../domain/roles/full-role.ts';
import { createRole, removeRole, setRolePolicy, updateRole } from '../domain/roles/write-role.ts';
import { accountOption, addCommand, addGroup, type OfAccount, type Outlet } from './command.ts';
import { addYesOption, type Confirmable, confirm } from './confirm.ts';
import { addLimitOption, type Limited, listItems, readLimit } from './listing.ts';
import { fields, table } from './output.ts';
import { keysOf, type PairReaders, readMembers } from './pairs.ts';
import { withAccount } from './session.ts';

interface RoleChanges {
  readonly name?: string;
  readonly policy?: string | null;
}

const readers: PairReaders<RoleChanges> = {
  name: (text) => ({ name: text }),
  policy: (text) => ({ policy: text || null }),
};

export function addRoleCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'role', 'roles of users');
  addCommand<OfAccount>(group, 'create <name>', 'create a role', outlet, (call) =>
    withAccount(call.options.account, async (services, account) => {
      const { id, name } = await createRole(services, account, { name: call.args[0] as string });
      return { json: { id, name }, text: fields({ id, name }) };
    }),
  ).requiredOption(...accountOption);
  addLists(group, outlet);
  const set = addCommand<OfAccount>(
    group,
    'set <name> <pairs...>',
    'change a role: key=value',
    outlet,
    async (call) => {
      const [role, pairs] = call.args as [string, string[]];
      const { name, policy } = await readMembers(pairs, readers);
      return withAccount(call.options.account, async (services, account) => {
        const { id } = await requireRole(services.store, account, role);
        const policyId = policy === undefined ? undefined : await findPolicyId(services.store, account, policy);
        // First, since it is refused where another role has the name.
        if (name !== undefined) await updateRole(services, account, id, { name });
        if (policyId !== undefined) await setRolePolicy(services, account, id, policyId);
        const json = { id, name: name ?? role, ...(policy !== undefined && { policy }) };
        return { json, text: fields(json) };
      });
    },
  );
  set
    .requiredOption(...accountOption)
    .addHelpText('after', `${keysOf(readers)} (the name of a policy; empty for none)`);
  const remove = addCommand<OfAccount & Confirmable>(
    group,
    'delete <name>',
    'delete a role; users lose the apps that only it gave them',
    outlet,
    ({ args: [name], options }) =>
      withAccount(options.account, async (services, account) => {
        const role = await requireRole(services.store, account, String(name));
        await confirm(`the role ${role.name} is deleted, and users lose the apps that only it gave them`, options);
        await removeRole(services, account, role.id);
        return { json: { id: role.id, deleted: true }, text: `the role ${role.name} is deleted\n` };
      }),
  );
  addYesOption(remove.requiredOption(...accountOption));
}

function addLists(group: Command, outlet: Outlet): void {
  const list = addCommand<OfAccount & Limited & { name?: string }>(
    group,
    'list',
    'list roles',
    outlet,
    ({ options: { account: subdomain, limit: most, name } }) => {
      const limit = readLimit(most);
      const filters = name === undefined ? [] : [matching('name', name)];
      return withAccount(subdomain, async ({ store }, account) => {
        const roles = await listItems((query) => store.roles.page(account.id, query), { sort: 'id', filters, limit });
        const rows = roles.map((role) => [role.id, role.name]);
        return { json: roles.map((role) => ({ id: role.id, name: role.name })), text: table(['id', 'name'], rows) };
      });
    },
  );
  addLimitOption(list.requiredOption(...accountOption)).option(
    '--name <name>',
    'only roles of this name; * at an end stands for anything',
  );
  addCommand<OfAccount>(group, 'show <name>', 'show a role', outlet, ({ args: [name], options }) =>
    withAccount(options.account, async (services, account) => {
      const { store } = services;
      const { id, policyId } = await requireRole(store, account, String(name));
      const role = await readFullRole(services, account, id);
      const policy = policyId === null ? null : await store.policies.find(account.id, policyId);
      const json = { id, name: role.name, policy: policy?.name ?? null, apps: role.apps, users: role.users.length };
      return { json, text: fields({ ...json, apps: role.apps.map(String) }) };
    }),
  ).requiredOption(...accountOption);
}
