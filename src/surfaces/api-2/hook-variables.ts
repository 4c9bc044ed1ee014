import type { components, operations } from '../../../generated/api-2.ts';
import { Failure } from '../../domain/failure.ts';
import { changeVariable, createVariable, removeVariable, requireVariable } from '../../domain/hooks/variables.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { time } from './represent-user.ts';

type VariableOperations = Pick<
  operations,
  'listHookVariables' | 'createHookVariable' | 'readHookVariable' | 'updateHookVariable' | 'deleteHookVariable'
>;

type Stored = Awaited<ReturnType<typeof requireVariable>>;

function represent({ uuid, name, createdAt, updatedAt }: Stored): components['schemas']['HookVariable'] {
  return { id: uuid, name, created_at: time(createdAt), updated_at: time(updatedAt) };
}

/** The response to a write: with the member that one client looks for, and never the value. */
function representWritten(variable: Stored): components['schemas']['WrittenHookVariable'] {
  const { id, name, ...times } = represent(variable);
  return { id, name, value: '', ...times };
}

/** An unknown identifier is a bad request here, for clients that know no other response. */
function invalidRecord(error: unknown): never {
  if (!(error instanceof Failure && error.code === 'not_found')) throw error;
  throw new Failure('request_invalid', { name: 'id', message: 'Invalid env record ID' });
}

export function hookVariables(services: Services): Handlers<VariableOperations> {
  const { store } = services;
  return {
    /** GET /api/2/hooks/envs */
    listHookVariables: async ({ list, origin: { account } }, respond) =>
      respond(200, ...(await list.answer((query) => store.hookVariables.page(account.id, query), represent))),

    /** POST /api/2/hooks/envs */
    createHookVariable: async ({ body, origin: { account } }, respond) =>
      respond(201, representWritten(await createVariable(services, account, body.name, body.value))),

    /** GET /api/2/hooks/envs/{id} */
    readHookVariable: async ({ path, origin: { account } }, respond) =>
      respond(200, represent(await requireVariable(store, account, path.id))),

    /** PUT /api/2/hooks/envs/{id} */
    updateHookVariable: async ({ path, body, origin: { account } }, respond) => {
      const { name, value } = body;
      const changed = changeVariable(services, account, path.id, { name, value });
      return respond(200, representWritten(await changed.catch(invalidRecord)));
    },

    /** DELETE /api/2/hooks/envs/{id} */
    deleteHookVariable: async ({ path, origin: { account } }, respond) => {
      await removeVariable(services, account, path.id);
      return respond(204);
    },
  };
}
