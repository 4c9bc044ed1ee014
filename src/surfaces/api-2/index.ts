/** The management API: everything that belongs to an account. */

import contract from '../../../generated/api-2.json' with { type: 'json' };
import type { operations } from '../../../generated/api-2.ts';
import type { DeprecatedOperation } from '../../domain/callers/deprecated-report.ts';
import type { Handlers } from '../../http/operation.ts';
import type { SurfaceDefinition } from '../../http/surface.ts';
import type { Services } from '../../services.ts';
import { accountSettings } from './account-settings.ts';
import { administrators } from './administrators.ts';
import { apiAuthorizationClients } from './api-authorization-clients.ts';
import { apiAuthorizationClaims, apiAuthorizationScopes } from './api-authorization-parts.ts';
import { apiAuthorizations } from './api-authorizations.ts';
import { appUsers } from './app-users.ts';
import { apps } from './apps.ts';
import { callers } from './callers.ts';
import { customAttributes } from './custom-attributes.ts';
import { eventChain } from './event-chain.ts';
import { listEvents } from './events.ts';
import { explainUser } from './explain-user.ts';
import { failures, takesArray } from './failures.ts';
import { streamHookLogs } from './hook-log-stream.ts';
import { hookTrials } from './hook-trials.ts';
import { hookVariables } from './hook-variables.ts';
import { hookHistory } from './hook-versions.ts';
import { hooks } from './hooks.ts';
import { inviteUser } from './invite-user.ts';
import { mfa } from './mfa.ts';
import { policies } from './policies.ts';
import { explainRefusal } from './refusals.ts';
import { roleMembers } from './role-members.ts';
import { roles } from './roles.ts';
import { signingKeys } from './signing-keys.ts';
import { usage } from './usage.ts';
import { listUserApps } from './user-apps.ts';
import { userFiles } from './user-files.ts';
import { userSignIns } from './user-sign-ins.ts';
import { users } from './users.ts';

function handlersOf(services: Services, deprecated: readonly DeprecatedOperation[]): Handlers<operations> {
  return {
    ...users(services),
    ...userFiles(services),
    listUserApps: listUserApps(services),
    ...userSignIns(services),
    explainUser: explainUser(services),
    inviteUser: inviteUser(services),
    ...customAttributes(services),
    ...policies(services),
    ...mfa(services),
    ...apiAuthorizations(services),
    ...apiAuthorizationScopes(services),
    ...apiAuthorizationClaims(services),
    ...apiAuthorizationClients(services),
    ...roles(services),
    ...roleMembers(services),
    ...apps(services),
    ...appUsers(services),
    ...callers(services),
    ...administrators(services),
    ...hooks(services),
    ...hookHistory(services),
    ...hookTrials(services),
    streamHookLogs: streamHookLogs(services),
    ...hookVariables(services),
    listEvents: listEvents(services),
    ...eventChain(services),
    explainRefusal: explainRefusal(services),
    ...accountSettings(services),
    ...signingKeys(services),
    ...usage(services, deprecated),
  };
}

/** `deprecated`: the operations of the deprecated surfaces, whose callers are shown. */
export function api2(deprecated: readonly DeprecatedOperation[]): SurfaceDefinition<operations> {
  return {
    name: 'api-2',
    contract,
    handlersOf: (services) => handlersOf(services, deprecated),
    looksAgain: true,
    resourceKinds: {
      readUser: 'user',
      readCustomAttribute: 'attribute',
      readPolicy: 'policy',
      readApiAuthorization: 'api',
      readRole: 'role',
      readRolePolicy: 'role_policy',
      readApp: 'app',
      readHook: 'hook',
      readHookDraft: 'hook',
      readHookVariable: 'variable',
      readAdministrator: 'administrator',
      readAccountSetting: 'setting',
    },
    failures,
    limit: 'api-2',
    emptyBody: 'object',
    invalid: (operation, pointer, keyword) => {
      // An impossible id is an unknown one; a body that can be read but breaks a rule is not a bad request.
      if (pointer.startsWith('/params')) return 'not_found';
      if (pointer === '/body' && keyword === 'type' && takesArray.has(operation)) return 'request_invalid';
      return pointer.startsWith('/body') ? 'value_invalid' : 'request_invalid';
    },
  };
}
