import type { components, operations } from '../../../generated/api-2.ts';
import { displayName } from '../../domain/clients/represent-metadata.ts';
import { scopesOfConsent } from '../../domain/login/consent.ts';
import { pageConsents, withdrawConsentOfUser, withdrawConsentsOfUser } from '../../domain/user-sign-ins/consents.ts';
import {
  pageGrants,
  revokeGrantOfUser,
  revokeGrantsOfUser,
  senderConstraintOf,
} from '../../domain/user-sign-ins/grants.ts';
import { endSessionOfUser, endSessionsOfUser, pageSessions } from '../../domain/user-sign-ins/sessions.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { optionalTime, time } from './represent-user.ts';

type Schemas = components['schemas'];
type Sessions = Pick<operations, 'listUserSessions' | 'endUserSession' | 'endUserSessions'>;
type Consents = Pick<operations, 'listUserConsents' | 'withdrawUserConsent' | 'withdrawUserConsents'>;
type Grants = Pick<operations, 'listUserGrants' | 'revokeUserGrant' | 'revokeUserGrants'>;
type Needs = Pick<Services, 'store' | 'clock' | 'vault'>;

type Item<Page> = Page extends (...given: never[]) => Promise<{ readonly items: readonly (infer One)[] }> ? One : never;

/** An app's uses of one session are few; more are not shown. */
const mostApps = 1000;

function representSession({ session, apps }: Item<typeof pageSessions>): Schemas['UserSession'] {
  return {
    id: session.id,
    opened_at: time(session.authenticatedAt),
    last_used_at: time(session.lastSeenAt),
    expires_at: time(Math.min(session.expiresAt, session.lastSeenAt + session.idleMilliseconds)),
    ip_address: session.source,
    user_agent: session.userAgent,
    amr: session.amr,
    apps: apps
      .slice(0, mostApps)
      .map((client) => ({ app_id: client.appId, client_id: client.clientId, name: displayName(client) })),
  };
}

function representConsent({ consent, client }: Item<typeof pageConsents>): Schemas['UserConsent'] {
  return {
    app_id: client.appId,
    client_id: client.clientId,
    app_name: displayName(client),
    scopes: scopesOfConsent(consent.scope),
    allowed_at: time(consent.allowedAt),
  };
}

function representGrant({ grant, client }: Item<typeof pageGrants>): Schemas['UserGrant'] {
  return {
    id: grant.id,
    app_id: client.appId,
    client_id: client.clientId,
    app_name: displayName(client),
    scopes: grant.scope,
    amr: grant.amr,
    created_at: time(grant.createdAt),
    last_used_at: optionalTime(grant.rotatedAt),
    expires_at: time(Math.min(grant.idleExpiresAt, grant.absoluteExpiresAt)),
    refreshable: grant.currentDigest !== null,
    sender_constraint: senderConstraintOf(client),
  };
}

function sessionHandlers(services: Needs): Handlers<Sessions> {
  return {
    /** GET /api/2/users/{id}/sessions */
    listUserSessions: async ({ path, list, origin: { account } }, respond) => {
      return respond(
        200,
        ...(await list.answer((query) => pageSessions(services, account, Number(path.id), query), representSession)),
      );
    },

    /** DELETE /api/2/users/{id}/sessions */
    endUserSessions: async ({ path, origin: { account } }, respond) => {
      await endSessionsOfUser(services, account, Number(path.id));
      return respond(204);
    },

    /** DELETE /api/2/users/{id}/sessions/{session_id} */
    endUserSession: async ({ path, origin: { account } }, respond) => {
      await endSessionOfUser(services, account, Number(path.id), Number(path.session_id));
      return respond(204);
    },
  };
}

function consentHandlers(services: Needs): Handlers<Consents> {
  return {
    /** GET /api/2/users/{id}/consents */
    listUserConsents: async ({ path, list, origin: { account } }, respond) => {
      return respond(
        200,
        ...(await list.answer((query) => pageConsents(services, account, Number(path.id), query), representConsent)),
      );
    },

    /** DELETE /api/2/users/{id}/consents */
    withdrawUserConsents: async ({ path, origin: { account } }, respond) => {
      await withdrawConsentsOfUser(services, account, Number(path.id));
      return respond(204);
    },

    /** DELETE /api/2/users/{id}/consents/{app_id} */
    withdrawUserConsent: async ({ path, origin: { account } }, respond) => {
      await withdrawConsentOfUser(services, account, Number(path.id), Number(path.app_id));
      return respond(204);
    },
  };
}

function grantHandlers(services: Needs): Handlers<Grants> {
  return {
    /** GET /api/2/users/{id}/grants */
    listUserGrants: async ({ path, list, origin: { account } }, respond) => {
      return respond(
        200,
        ...(await list.answer((query) => pageGrants(services, account, Number(path.id), query), representGrant)),
      );
    },

    /** DELETE /api/2/users/{id}/grants */
    revokeUserGrants: async ({ path, origin: { account } }, respond) => {
      await revokeGrantsOfUser(services, account, Number(path.id));
      return respond(204);
    },

    /** DELETE /api/2/users/{id}/grants/{grant_id} */
    revokeUserGrant: async ({ path, origin: { account } }, respond) => {
      await revokeGrantOfUser(services, account, Number(path.id), Number(path.grant_id));
      return respond(204);
    },
  };
}

/** Where a user is signed in, what the user has allowed apps, and what they may do. */
export function userSignIns(services: Needs): Handlers<Sessions & Consents & Grants> {
  return { ...sessionHandlers(services), ...consentHandlers(services), ...grantHandlers(services) };
}
