import type { operations } from '../../../../generated/pages.ts';
import { listApps, removeApp } from '../../../domain/own-account/apps.ts';
import { endAllSessions, endOneSession, listSessions } from '../../../domain/own-account/sessions.ts';
import type { Handlers } from '../../../http/operation.ts';
import { clearCookie } from '../../../pages/cookies.ts';
import { formAction } from '../../../pages/links.ts';
import { appsPage, sessionsPage } from '../../../pages/views.ts';
import type { Services } from '../../../services.ts';
import { scopeTitle } from '../represent-consent.ts';
import { done, numberOf, visit, visitByForm } from './entered.ts';

type Operations = Pick<operations, 'showSessions' | 'endOneSession' | 'endAllSessions' | 'showApps' | 'removeApp'>;
type Needs = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'limits'>;

/** Where a user is signed in, and what uses their account. */
export function sessionsAndApps(services: Needs): Handlers<Operations> {
  return {
    /** GET /account/sessions: the live sessions. */
    showSessions: async ({ query, origin }, respond) => {
      const { account } = origin;
      const entered = await visit(services, origin, 'showSessions');
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      const { user, csrf, session: own } = entered.visit;
      const sessions = await listSessions(services, account, user);
      const shown = sessions.map((session) => ({ ...session, own: session.id === own.id }));
      const view = { accountName: account.name, csrf, done: query?.done, sessions: shown };
      return respond(200, sessionsPage(view), entered.headers);
    },

    /** POST /account/sessions/end: 303 to the sessions. */
    endOneSession: async ({ body, origin }, respond) => {
      const entered = await visitByForm(services, origin, body.csrf, 'showSessions');
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      await endOneSession(services, origin.account, entered.visit, numberOf(body.session_id));
      return respond(303, undefined, done('showSessions', 'session_ended'));
    },

    /** POST /account/sessions/end-all: 303 to the page that says so; both cookies go. */
    endAllSessions: async ({ body, origin }, respond) => {
      const { account } = origin;
      const entered = await visitByForm(services, origin, body.csrf, 'showSessions');
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      await endAllSessions(services, account, entered.visit);
      return respond(303, undefined, {
        location: formAction('showSignedOut'),
        'set-cookie': [clearCookie(account, 'sid'), clearCookie(account, 'tx')],
      });
    },

    /** GET /account/apps: what uses the account. */
    showApps: async ({ query, origin }, respond) => {
      const { account } = origin;
      const entered = await visit(services, origin, 'showApps');
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      const { user, csrf } = entered.visit;
      const apps = (await listApps(services, account, user)).map(({ client, name, scope, allowedAt, hasTokens }) => ({
        id: client.appId,
        name,
        scopes: scope.map(scopeTitle),
        allowedAt,
        hasTokens,
      }));
      return respond(200, appsPage({ accountName: account.name, csrf, done: query?.done, apps }), entered.headers);
    },

    /** POST /account/apps/remove: 303 to the applications. */
    removeApp: async ({ body, origin }, respond) => {
      const entered = await visitByForm(services, origin, body.csrf, 'showApps');
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      await removeApp(services, origin.account, entered.visit, numberOf(body.app_id));
      return respond(303, undefined, done('showApps', 'access_removed'));
    },
  };
}
