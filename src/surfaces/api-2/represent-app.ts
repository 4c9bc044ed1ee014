import type { components } from '../../../generated/api-2.ts';
import type { Account } from '../../domain/accounts/account.ts';
import type { AppInput } from '../../domain/clients/app-input.ts';
import { authMethods } from '../../domain/clients/client-methods.ts';
import type { FullApp } from '../../domain/clients/managed-apps.ts';
import { displayName } from '../../domain/clients/represent-metadata.ts';
import { accessTokenSeconds } from '../../domain/tokens/token-set.ts';
import { time } from './represent-user.ts';

type App = components['schemas']['App'];

const applicationTypes = ['web', 'native'] as const satisfies FullApp['applicationType'][];

const dayMinutes = 1440;

function numberOf<Name, Index extends number>(names: readonly Name[], name: Name): Index {
  return names.indexOf(name) as Index;
}

/** An app as a part of something else. */
export function representLinkedApp(client: Pick<FullApp, 'appId' | 'name' | 'clientId' | 'extra'>) {
  return { id: client.appId, name: displayName(client), icon_url: client.extra.logo_uri ?? null };
}

/** `clientSecret`: only in the response to the creation. */
export function representApp(app: FullApp, account: Account, clientSecret: string | null = null): App {
  return {
    id: app.appId,
    connector_id: app.connectorId,
    client_id: app.clientId,
    name: displayName(app),
    description: app.description,
    notes: app.notes,
    auth_method: 8,
    visible: app.visible,
    policy_id: app.policyId,
    brand_id: null,
    icon_url: app.extra.logo_uri ?? null,
    tab_id: null,
    allow_assumed_signin: false,
    role_ids: app.roleIds,
    provisioning: { enabled: false },
    parameters: {},
    configuration: {
      redirect_uri: app.redirectUris.join('\n'),
      post_logout_redirect_uri: app.postLogoutRedirectUris.join('\n'),
      login_url: app.extra.login_url ?? '',
      oidc_application_type: numberOf(applicationTypes, app.applicationType),
      token_endpoint_auth_method: numberOf(authMethods, app.authMethod),
      access_token_expiration_minutes: app.accessTokenMinutes ?? accessTokenSeconds / 60,
      refresh_token_expiration_minutes: app.refreshTokenMinutes ?? account.settings.refreshIdleDays * dayMinutes,
    },
    sso: { client_id: app.clientId, ...(clientSecret !== null && { client_secret: clientSecret }) },
    created_at: time(app.createdAt),
    updated_at: time(app.updatedAt),
  };
}

/** Member by member. */
export function readApp(body: components['schemas']['AppUpdate']): AppInput {
  const { configuration } = body;
  const type = configuration?.oidc_application_type;
  const method = configuration?.token_endpoint_auth_method;
  return {
    name: body.name,
    connectorId: body.connector_id,
    description: body.description,
    notes: body.notes,
    visible: body.visible,
    policyId: body.policy_id,
    iconUrl: body.icon_url,
    roleIds: body.role_ids,
    redirectUri: configuration?.redirect_uri,
    postLogoutRedirectUri: configuration?.post_logout_redirect_uri,
    loginUrl: configuration?.login_url,
    applicationType: type == null ? undefined : applicationTypes[type],
    authMethod: method == null ? undefined : authMethods[method],
    accessTokenMinutes: configuration?.access_token_expiration_minutes,
    refreshTokenMinutes: configuration?.refresh_token_expiration_minutes,
  };
}
