import type { components, operations } from '../../../generated/api-2.ts';
import type { HookInput } from '../../domain/hooks/definition.ts';
import { pageExecutions } from '../../domain/hooks/executions.ts';
import { createHook, removeHook, replaceHook } from '../../domain/hooks/hooks.ts';
import { pageHooks, readNamedHook } from '../../domain/hooks/read-hooks.ts';
import { testHook } from '../../domain/hooks/test-run.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { representExecution, representHook, representTestRun, representWritten } from './represent-hook.ts';

type HookOperations = Pick<
  operations,
  'listHooks' | 'createHook' | 'readHook' | 'replaceHook' | 'deleteHook' | 'listHookLogs' | 'testHook'
>;

type Body = components['schemas']['HookInput'];
type Context = components['schemas']['HookTestRequest'];

/** Flags at the top level count unless `options` has the same one (the document's §2.3). */
function readFlags(body: Body): NonNullable<HookInput['options']> {
  const flag = (name: keyof NonNullable<Body['options']>) => body.options?.[name] ?? body[name] ?? undefined;
  const flags = {
    riskEnabled: flag('risk_enabled'),
    locationEnabled: flag('location_enabled'),
    mfaDeviceInfoEnabled: flag('mfa_device_info_enabled'),
    failedLoginAttemptsEnabled: flag('failed_login_attempts_enabled'),
  };
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

/** Member by member, without read-only ones. */
function readInput(body: Body): HookInput {
  return {
    type: body.type,
    function: body.function,
    disabled: body.disabled,
    runtime: body.runtime,
    retries: body.retries,
    timeout: body.timeout,
    options: readFlags(body),
    envVars: body.env_vars?.map((item) => (typeof item === 'string' ? item : item.name)),
    packages: body.packages,
    conditions: body.conditions,
    contextVersion: body.context_version,
  };
}

/** The context itself, or the contents of its only member `context`. */
function readContext(body: Context): Readonly<Record<string, unknown>> {
  const { context, ...others } = body as Record<string, unknown>;
  const wrapped = typeof context === 'object' && context !== null && !Array.isArray(context);
  return wrapped && Object.keys(others).length === 0 ? (context as Record<string, unknown>) : body;
}

export function hooks(services: Services): Handlers<HookOperations> {
  return {
    /** GET /api/2/hooks */
    listHooks: async ({ list, origin: { account } }, respond) =>
      respond(200, ...(await list.answer((query) => pageHooks(services, account, query), representHook))),

    /** POST /api/2/hooks */
    createHook: async ({ body, origin: { account } }, respond) =>
      respond(201, representWritten(await createHook(services, account, readInput(body)))),

    /** GET /api/2/hooks/{id} */
    readHook: async ({ path, origin: { account } }, respond) =>
      respond(200, representHook(await readNamedHook(services, account, path.id))),

    /** PUT /api/2/hooks/{id} */
    replaceHook: async ({ path, body, origin: { account } }, respond) =>
      respond(200, representWritten(await replaceHook(services, account, path.id, readInput(body)))),

    /** DELETE /api/2/hooks/{id} */
    deleteHook: async ({ path, origin: { account } }, respond) => {
      await removeHook(services, account, path.id);
      return respond(202);
    },

    /** GET /api/2/hooks/{id}/logs */
    listHookLogs: async ({ path, list, origin: { account } }, respond) =>
      respond(
        200,
        ...(await list.answer((query) => pageExecutions(services, account, path.id, query), representExecution)),
      ),

    /** POST /api/2/hooks/{id}/test */
    testHook: async ({ path, body, origin: { account } }, respond) =>
      respond(200, representTestRun(await testHook(services, account, path.id, readContext(body)))),
  };
}
