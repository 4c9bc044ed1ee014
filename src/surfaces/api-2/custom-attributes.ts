import type { components, operations } from '../../../generated/api-2.ts';
import {
  createCustomAttribute,
  readCustomAttribute,
  removeCustomAttribute,
  updateCustomAttribute,
} from '../../domain/users/custom-attributes.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

type AttributeOperations = Pick<
  operations,
  | 'listCustomAttributes'
  | 'createCustomAttribute'
  | 'readCustomAttribute'
  | 'updateCustomAttribute'
  | 'deleteCustomAttribute'
>;

type Attribute = components['schemas']['CustomAttribute'];

function represent({ id, name, shortname, position }: Attribute): Attribute {
  return { id, name, shortname, position };
}

export function customAttributes(services: Services): Handlers<AttributeOperations> {
  const { store } = services;
  return {
    /** GET /api/2/users/custom_attributes */
    listCustomAttributes: async ({ list, origin: { account } }, respond) =>
      respond(200, ...(await list.answer((query) => store.attributes.page(account.id, query), represent))),

    /** POST /api/2/users/custom_attributes */
    createCustomAttribute: async ({ body, origin: { account } }, respond) =>
      respond(201, represent(await createCustomAttribute(services, account, body.user_field))),

    /** GET /api/2/users/custom_attributes/{id} */
    readCustomAttribute: async ({ path, origin: { account } }, respond) =>
      respond(200, represent(await readCustomAttribute(services, account, Number(path.id)))),

    /** PUT /api/2/users/custom_attributes/{id} */
    updateCustomAttribute: async ({ path, body, origin: { account } }, respond) => {
      const wrapped = body.user_field;
      const changes = {
        name: wrapped?.name ?? body.name,
        shortname: wrapped?.shortname ?? body.shortname,
        // Null says something: it clears the position.
        position: wrapped?.position === undefined ? body.position : wrapped.position,
      };
      return respond(200, represent(await updateCustomAttribute(services, account, Number(path.id), changes)));
    },

    /** DELETE /api/2/users/custom_attributes/{id} */
    deleteCustomAttribute: async ({ path, origin: { account } }, respond) => {
      await removeCustomAttribute(services, account, Number(path.id));
      return respond(204);
    },
  };
}
