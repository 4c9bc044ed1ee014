import type { components, operations } from '../../../generated/api-2.ts';
import {
  changePolicy,
  createPolicy,
  type NewPolicy,
  removePolicy,
  requirePolicy,
} from '../../domain/policies/policies.ts';
import { membersOf } from '../../domain/policies/rules.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { time } from './represent-user.ts';

type PolicyOperations = Pick<
  operations,
  'listPolicies' | 'createPolicy' | 'readPolicy' | 'updatePolicy' | 'deletePolicy'
>;

type Policy = components['schemas']['Policy'];
type Stored = Awaited<ReturnType<typeof requirePolicy>>;

function represent(policy: Stored): Policy {
  return {
    ...membersOf(policy),
    created_at: time(policy.createdAt),
    updated_at: time(policy.updatedAt),
  };
}

/** The sent members, without read-only ones. */
function readMembers(body: components['schemas']['PolicyUpdate']): Partial<NewPolicy> {
  const members = {
    name: body.name,
    isDefault: body.is_default,
    minimumPasswordLength: body.minimum_password_length,
    maximumInvalidLoginAttempts: body.maximum_invalid_login_attempts,
    lockEffectiveMinutes: body.lock_effective_minutes,
    sessionTimeoutMinutes: body.session_timeout_minutes,
    sessionAbsoluteMinutes: body.session_absolute_minutes,
    passwordExpirationDays: body.password_expiration_days,
    otpRequired: body.otp_required,
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

export function policies(services: Services): Handlers<PolicyOperations> {
  const { store } = services;
  return {
    /** GET /api/2/policies */
    listPolicies: async ({ list, origin: { account } }, respond) =>
      respond(200, ...(await list.answer((query) => store.policies.page(account.id, query), represent))),

    /** POST /api/2/policies */
    createPolicy: async ({ body, origin: { account } }, respond) =>
      respond(201, represent(await createPolicy(services, account, { ...readMembers(body), name: body.name }))),

    /** GET /api/2/policies/{id} */
    readPolicy: async ({ path, origin: { account } }, respond) =>
      respond(200, represent(await requirePolicy(store, account, Number(path.id)))),

    /** PUT /api/2/policies/{id} */
    updatePolicy: async ({ path, body, origin: { account } }, respond) =>
      respond(200, represent(await changePolicy(services, account, Number(path.id), readMembers(body)))),

    /** DELETE /api/2/policies/{id} */
    deletePolicy: async ({ path, origin: { account } }, respond) => {
      await removePolicy(services, account, Number(path.id));
      return respond(204);
    },
  };
}
