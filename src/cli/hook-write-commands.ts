/** Commands that list, create, change and delete hooks. */

import type { Command } from 'commander';
import { Failure } from '../domain/failure.ts';
import type { HookInput } from '../domain/hooks/definition.ts';
import { createHook, removeHook, replaceHook } from '../domain/hooks/hooks.ts';
import { type NamedHook, pageHooks, readNamedHook } from '../domain/hooks/read-hooks.ts';
import { sourceOf } from '../domain/hooks/source.ts';
import { hookTypes } from '../domain/hooks/values.ts';
import { accountOption, addCommand, collect, type OfAccount, type Outlet } from './command.ts';
import { addYesOption, type Confirmable, confirm } from './confirm.ts';
import { readHookFile, shownWritten } from './hook-log-commands.ts';
import { listItems } from './listing.ts';
import { fields, isoTime, table } from './output.ts';
import { readSwitch, readWhole } from './pairs.ts';
import { withAccount } from './session.ts';

interface Definition {
  readonly file?: string;
  readonly env?: readonly string[];
  readonly timeout?: string;
  readonly retries?: string;
  readonly location?: string;
  readonly risk?: string;
}

const encoded = async (file: string) => Buffer.from(await readHookFile(file)).toString('base64');

/** Members that were given; the others stay. */
async function readDefinition(
  { file, env, timeout, retries, location, risk }: Definition,
  former: HookInput['options'] = null,
): Promise<Partial<HookInput>> {
  const options = {
    ...(location !== undefined && { locationEnabled: readSwitch(location, 'location') }),
    ...(risk !== undefined && { riskEnabled: readSwitch(risk, 'risk') }),
  };
  return {
    ...(Object.keys(options).length > 0 && { options: { ...former, ...options } }),
    ...(file !== undefined && { function: await encoded(file) }),
    ...(env && { envVars: env }),
    ...(timeout !== undefined && { timeout: readWhole(timeout, 'timeout') }),
    ...(retries !== undefined && { retries: readWhole(retries, 'retries') }),
  };
}

function addDefinition(command: Command): Command {
  return command
    .requiredOption(...accountOption)
    .option('--env <name>', 'a variable that the function reads; may be repeated', collect)
    .option('--timeout <seconds>', 'how long a run may take: 1 for pre-authentication, 1 to 10 for user-migration')
    .option('--retries <number>', 'how often a run that failed is repeated')
    .option('--location <on|off>', 'whether its context has the country and the place of the address')
    .option('--risk <on|off>', 'whether its context has the risk of the sign-in');
}

export function addHookWriteCommands(group: Command, outlet: Outlet): void {
  const create = addCommand<OfAccount & Definition & { type: string; file: string; disabled?: true }>(
    group,
    'create',
    'create a hook',
    outlet,
    async ({ options }) => {
      const { type, disabled = false } = options;
      const input = { type, disabled, function: await encoded(options.file), ...(await readDefinition(options)) };
      return withAccount(options.account, async (services, account) =>
        shownWritten(await createHook(services, account, input)),
      );
    },
  );
  addDefinition(create)
    .requiredOption('--type <type>', hookTypes.join(' or '))
    .requiredOption('--file <hook.js>', 'its function')
    .option('--disabled', 'do not run it until it is enabled');
  const push = addCommand<OfAccount & Definition>(
    group,
    'push <hook-id>',
    'write a new version of a hook; what is not given stays',
    outlet,
    async ({ args: [id], options }) => {
      if (Object.keys(await readDefinition(options)).length === 0) {
        throw new Failure('value_invalid', { name: 'file', message: 'nothing is to be changed: give --file' });
      }
      return withAccount(options.account, async (services, account) => {
        const former = inputOf(await readNamedHook(services, account, String(id)));
        const input = { ...former, ...(await readDefinition(options, former.options)) };
        return shownWritten(await replaceHook(services, account, String(id), input));
      });
    },
  );
  addDefinition(push).option('--file <hook.js>', 'its function');
  addHookLists(group, outlet);
  const remove = addCommand<OfAccount & Confirmable>(
    group,
    'delete <hook-id>',
    'delete a hook with all its versions',
    outlet,
    ({ args: [id], options }) =>
      withAccount(options.account, async (services, account) => {
        const { hook } = await readNamedHook(services, account, String(id));
        await confirm(`the hook ${hook.uuid} is deleted with all its versions`, options);
        await removeHook(services, account, hook.uuid);
        return { json: { id: hook.uuid, deleted: true }, text: `the hook ${hook.uuid} is deleted\n` };
      }),
  );
  addYesOption(remove.requiredOption(...accountOption));
}

function addHookLists(group: Command, outlet: Outlet): void {
  addCommand<OfAccount>(group, 'list', 'list hooks', outlet, ({ options }) =>
    withAccount(options.account, async (services, account) => {
      const hooks = await listItems((query) => pageHooks(services, account, query), { sort: 'created_at' });
      const rows = hooks.map(represent).map(({ id, type, status, disabled, version }) => {
        return [id, type, status, disabled ? 'yes' : 'no', version];
      });
      return { json: hooks.map(represent), text: table(['id', 'type', 'status', 'disabled', 'version'], rows) };
    }),
  ).requiredOption(...accountOption);
  addCommand<OfAccount & { source?: true }>(group, 'show <hook-id>', 'show a hook', outlet, ({ args: [id], options }) =>
    withAccount(options.account, async (services, account) => {
      const hook = await readNamedHook(services, account, String(id));
      const json = { ...represent(hook), function: sourceOf(hook.definition.function) };
      if (options.source) return { json, text: json.function };
      const { disabled, location, risk, function: _, packages, ...shown } = json;
      const named = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
      const words = { disabled: disabled ? 'yes' : 'no', location: onOrOff(location), risk: onOrOff(risk) };
      return { json, text: fields({ ...shown, ...words, packages: named }) };
    }),
  )
    .requiredOption(...accountOption)
    .option('--source', 'print its function and nothing else');
}

function onOrOff(flag: boolean): string {
  return flag ? 'on' : 'off';
}

function represent({ hook, definition, envVars, status }: NamedHook) {
  return {
    id: hook.uuid,
    type: definition.type,
    status,
    disabled: definition.disabled,
    version: definition.version,
    runtime: definition.runtime,
    timeout: definition.timeoutSeconds,
    retries: definition.retries,
    env_vars: envVars,
    location: definition.options?.locationEnabled ?? false,
    risk: definition.options?.riskEnabled ?? false,
    packages: definition.packages,
    updated_at: isoTime(hook.updatedAt),
  };
}

/** The definition as it would be written again. */
function inputOf({ definition, envVars }: NamedHook): HookInput {
  const { timeoutSeconds: timeout, ...members } = definition;
  return { ...members, timeout, envVars };
}
