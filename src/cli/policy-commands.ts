import type { Command } from 'commander';
import type { Account } from '../domain/accounts/account.ts';
import {
  changePolicy,
  createPolicy,
  findPolicyId,
  type NewPolicy,
  removePolicy,
  requirePolicy,
} from '../domain/policies/policies.ts';
import { membersOf } from '../domain/policies/rules.ts';
import type { Services } from '../services.ts';
import { type Answer, accountOption, addCommand, addGroup, type OfAccount, type Outlet } from './command.ts';
import { addYesOption, type Confirmable, confirm } from './confirm.ts';
import { addLimitOption, type Limited, listItems, readLimit } from './listing.ts';
import { fields, table } from './output.ts';
import { keysOf, type PairReaders, readMembers, readSwitch, readWhole } from './pairs.ts';
import { withAccount } from './session.ts';

type Policy = Awaited<ReturnType<typeof requirePolicy>>;

const readers: PairReaders<NewPolicy> = {
  name: (text) => ({ name: text }),
  is_default: (text, key) => ({ isDefault: readSwitch(text, key) }),
  minimum_password_length: (text, key) => ({ minimumPasswordLength: readWhole(text, key) }),
  maximum_invalid_login_attempts: (text, key) => ({ maximumInvalidLoginAttempts: readWhole(text, key) }),
  lock_effective_minutes: (text, key) => ({ lockEffectiveMinutes: readWhole(text, key) }),
  session_timeout_minutes: (text, key) => ({ sessionTimeoutMinutes: readWhole(text, key) }),
  session_absolute_minutes: (text, key) => ({ sessionAbsoluteMinutes: readWhole(text, key) }),
  password_expiration_days: (text, key) => ({ passwordExpirationDays: readWhole(text, key) }),
  otp_required: (text, key) => ({ otpRequired: readSwitch(text, key) }),
};

export function addPolicyCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'policy', 'rules of passwords, sessions and second factors');
  addCommand<OfAccount>(
    group,
    'create <name> [pairs...]',
    'create a policy: key=value',
    outlet,
    async ({ args: [name, pairs], options }) => {
      const members = await readMembers(pairs as string[], readers);
      return withAccount(options.account, async (services, account) =>
        shown(await createPolicy(services, account, { ...members, name: String(name) })),
      );
    },
  )
    .requiredOption(...accountOption)
    .addHelpText('after', keysOf(readers));
  const list = addCommand<OfAccount & Limited>(group, 'list', 'list policies', outlet, ({ options }) => {
    const limit = readLimit(options.limit);
    return withAccount(options.account, async ({ store }, account) => {
      const policies = await listItems((query) => store.policies.page(account.id, query), { sort: 'id', limit });
      const rows = policies.map((policy) => [policy.id, policy.name, policy.isDefault ? 'default' : null]);
      return { json: policies.map(membersOf), text: table(['id', 'name', 'default'], rows) };
    });
  });
  addLimitOption(list.requiredOption(...accountOption));
  addCommand<OfAccount>(group, 'show <name>', 'show a policy', outlet, ({ args: [name], options }) =>
    withAccount(options.account, async (services, account) => shown(await find(services, account, String(name)))),
  ).requiredOption(...accountOption);
  addCommand<OfAccount>(
    group,
    'set <name> <pairs...>',
    'change a policy: key=value',
    outlet,
    async ({ args: [name, pairs], options }) => {
      const members = await readMembers(pairs as string[], readers);
      return withAccount(options.account, async (services, account) => {
        const { id } = await find(services, account, String(name));
        return shown(await changePolicy(services, account, id, members));
      });
    },
  )
    .requiredOption(...accountOption)
    .addHelpText('after', keysOf(readers));
  const remove = addCommand<OfAccount & Confirmable>(
    group,
    'delete <name>',
    'delete a policy that nothing uses',
    outlet,
    ({ args: [name], options }) =>
      withAccount(options.account, async (services, account) => {
        const policy = await find(services, account, String(name));
        await confirm(`the policy ${policy.name} is deleted`, options);
        await removePolicy(services, account, policy.id);
        return { json: { id: policy.id, deleted: true }, text: `the policy ${policy.name} is deleted\n` };
      }),
  );
  addYesOption(remove.requiredOption(...accountOption));
}

async function find({ store }: Pick<Services, 'store'>, account: Account, name: string): Promise<Policy> {
  return requirePolicy(store, account, (await findPolicyId(store, account, name)) ?? 0);
}

function shown(policy: Policy): Answer {
  const json = membersOf(policy);
  const words = { is_default: json.is_default ? 'yes' : 'no', otp_required: json.otp_required ? 'on' : 'off' };
  return { json, text: fields({ ...json, ...words }) };
}
