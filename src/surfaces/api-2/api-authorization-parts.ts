import type { components, operations } from '../../../generated/api-2.ts';
import {
  addClaim,
  type ClaimValues,
  changeClaim,
  pageClaims,
  removeClaim,
} from '../../domain/authorization-servers/claims.ts';
import { addScope, changeScope, pageScopes, removeScope } from '../../domain/authorization-servers/scopes.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

type ScopeOperations = Pick<
  operations,
  | 'listApiAuthorizationScopes'
  | 'createApiAuthorizationScope'
  | 'updateApiAuthorizationScope'
  | 'deleteApiAuthorizationScope'
>;
type ClaimOperations = Pick<
  operations,
  | 'listApiAuthorizationClaims'
  | 'createApiAuthorizationClaim'
  | 'updateApiAuthorizationClaim'
  | 'deleteApiAuthorizationClaim'
>;

type Scope = components['schemas']['Scope'];
type Claim = components['schemas']['Claim'];
type ClaimRecord = Awaited<ReturnType<typeof addClaim>>;

/** A scope of a server, also used in its links. */
export function representScope({ id, value, description, open }: Scope): Scope {
  return { id, value, description, open };
}

/** Members without a function here are returned as if they had never been set. */
function representClaim({ id, label, attribute, macro }: ClaimRecord): Claim {
  return {
    id,
    label,
    user_attribute_mappings: attribute,
    user_attribute_macros: macro,
    attributes_transformations: null,
    skip_if_blank: true,
    values: [],
    default_values: null,
    provisioned_entitlements: false,
  };
}

function claimValues({ name, label, ...body }: components['schemas']['ClaimUpdate']): ClaimValues {
  return { label: name ?? label, attribute: body.user_attribute_mappings, macro: body.user_attribute_macros };
}

/** Scopes of API authorization servers. */
export function apiAuthorizationScopes(services: Services): Handlers<ScopeOperations> {
  return {
    /** GET /api/2/api_authorizations/{id}/scopes */
    listApiAuthorizationScopes: async ({ path, list, origin: { account } }, respond) => {
      return respond(
        200,
        ...(await list.answer((query) => pageScopes(services, account, Number(path.id), query), representScope)),
      );
    },

    /** POST /api/2/api_authorizations/{id}/scopes */
    createApiAuthorizationScope: async ({ path, body, origin: { account } }, respond) => {
      const { id } = await addScope(services, account, Number(path.id), body);
      return respond(200, { id });
    },

    /** PUT /api/2/api_authorizations/{id}/scopes/{scope_id} */
    updateApiAuthorizationScope: async ({ path, body, origin: { account } }, respond) => {
      const { id } = await changeScope(services, account, Number(path.id), Number(path.scope_id), body);
      return respond(200, { id });
    },

    /** DELETE /api/2/api_authorizations/{id}/scopes/{scope_id} */
    deleteApiAuthorizationScope: async ({ path, origin: { account } }, respond) => {
      await removeScope(services, account, Number(path.id), Number(path.scope_id));
      return respond(204);
    },
  };
}

/** Claims of API authorization servers. */
export function apiAuthorizationClaims(services: Services): Handlers<ClaimOperations> {
  return {
    /** GET /api/2/api_authorizations/{id}/claims */
    listApiAuthorizationClaims: async ({ path, list, origin: { account } }, respond) => {
      return respond(
        200,
        ...(await list.answer((query) => pageClaims(services, account, Number(path.id), query), representClaim)),
      );
    },

    /** POST /api/2/api_authorizations/{id}/claims */
    createApiAuthorizationClaim: async ({ path, body, origin: { account } }, respond) => {
      const { id } = await addClaim(services, account, Number(path.id), claimValues(body));
      return respond(200, { id });
    },

    /** PUT /api/2/api_authorizations/{id}/claims/{claim_id} */
    updateApiAuthorizationClaim: async ({ path, body, origin: { account } }, respond) => {
      const claimId = Number(path.claim_id);
      const { id } = await changeClaim(services, account, Number(path.id), claimId, claimValues(body));
      return respond(200, { id });
    },

    /** DELETE /api/2/api_authorizations/{id}/claims/{claim_id} */
    deleteApiAuthorizationClaim: async ({ path, origin: { account } }, respond) => {
      await removeClaim(services, account, Number(path.id), Number(path.claim_id));
      return respond(204);
    },
  };
}
