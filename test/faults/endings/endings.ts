/** What ends: each as its user, an operator or a client does it. */

import { removeApp } from '../../../src/domain/clients/managed-apps.ts';
import { removeApp as withdrawConsent } from '../../../src/domain/own-account/apps.ts';
import { changePassword } from '../../../src/domain/own-account/change-password.ts';
import { endAllSessions, endOneSession, listSessions } from '../../../src/domain/own-account/sessions.ts';
import { addRoleMembers, removeRoleMembers } from '../../../src/domain/roles/write-role.ts';
import { withdrawConsentOfUser } from '../../../src/domain/user-sign-ins/consents.ts';
import { revokeGrantsOfUser } from '../../../src/domain/user-sign-ins/grants.ts';
import { endSessionOfUser, endSessionsOfUser } from '../../../src/domain/user-sign-ins/sessions.ts';
import { grantAccess, revokeAccess } from '../../../src/domain/users/access.ts';
import { requireInviteLink } from '../../../src/domain/users/invite-links.ts';
import { removeUser } from '../../../src/domain/users/users.ts';
import { updateUser } from '../../../src/domain/users/write-user.ts';
import { chosen, goodPassword } from '../../support/invites.ts';
import { authorizePath, CookieJar, makeUser, password, submit, walk } from '../../support/sign-in.ts';
import { beginSignOut } from '../../support/sign-out.ts';
import { ownVisit } from '../../support/visits.ts';
import { copyOf, type Stage } from './stage.ts';

interface Ending {
  /** Whether the app comes by a role. */
  readonly byRole?: boolean;
  /** Whether the user has signed in once more in the same browser, after the code was given. */
  readonly twice?: boolean;
  /** What is made before, so that the ending itself is one call. */
  prepare(stage: Stage): Promise<() => Promise<unknown>>;
  /** What was taken is given back: nothing may live again by that. */
  restore?(stage: Stage): Promise<unknown>;
}

async function preparedSignOut({ app, jar }: Stage): Promise<() => Promise<void>> {
  const asked = await beginSignOut(app, copyOf(jar));
  return async () => {
    const { answer } = await submit(app, asked, {});
    if (answer.status !== 200) throw new Error(`nobody was signed out: ${answer.status}`);
  };
}

const status = ({ app: { services, account }, user }: Stage, to: 1 | 2) =>
  updateUser(services, account, user.id, { status: to, validatePolicy: false, authority: 'all' });

export const endings = {
  'password by its owner': {
    prepare: async (stage) => {
      const { services, account } = stage.app;
      const visit = await ownVisit(stage.app, stage.user);
      const change = { current: password, password: goodPassword, confirmation: goodPassword };
      return async () => {
        const result = await changePassword(services, account, visit, {
          ...change,
          endOthers: true,
          source: '192.0.2.1',
        });
        if (result.outcome !== 'changed') throw new Error(`the password was not changed: ${String(result.problem)}`);
      };
    },
  },
  'password by an administrator': {
    prepare:
      async ({ app: { services, account }, user }) =>
      () =>
        updateUser(services, account, user.id, {
          password: goodPassword,
          validatePolicy: false,
          authority: 'all',
        }),
  },
  'password by a link': {
    prepare: async ({ app, email }) => {
      const link = await requireInviteLink(app.services, app.account, email);
      const form = await walk(app, new CookieJar(), link.replace(app.account.baseUrl, ''));
      return async () => {
        const { answer } = await submit(app, form, chosen);
        // Another run of the user's hook may keep the walk from going on; the password is saved all the same.
        const isSaved = answer.status < 400 || answer.text.includes('Your password is saved');
        if (!isSaved) throw new Error(`the link set no password: ${answer.status}`);
      };
    },
  },
  'sign-out': { prepare: preparedSignOut },
  'sign-out after a second sign-in': { twice: true, prepare: preparedSignOut },
  'another user signs in': {
    prepare: async ({ app, client, jar }) => {
      const { email } = await makeUser(app, client.app_id);
      const request = authorizePath(client, { scope: 'openid profile', prompt: 'login' });
      const begun = await walk(app, copyOf(jar), request);
      return async () => {
        const { answer } = await submit(app, begun, { username: email ?? '', password });
        if (!answer.text.includes('value="allow"')) throw new Error(`nobody signed in: ${answer.status}`);
      };
    },
  },
  'sign-out everywhere': {
    prepare: async (stage) => {
      const { services, account } = stage.app;
      const visit = await ownVisit(stage.app, stage.user);
      return () => endAllSessions(services, account, visit);
    },
  },
  'one session ended': {
    prepare: async (stage) => {
      const { services, account } = stage.app;
      const [session] = await listSessions(services, account, stage.user);
      const visit = await ownVisit(stage.app, stage.user);
      return () => endOneSession(services, account, visit, session?.id ?? 0);
    },
  },
  'sign-out everywhere by an operator': {
    prepare:
      async ({ app: { services, account }, user }) =>
      () =>
        endSessionsOfUser(services, account, user.id),
  },
  'one session ended by an operator': {
    prepare: async ({ app: { services, account }, user }) => {
      const [session] = await listSessions(services, account, user);
      return () => endSessionOfUser(services, account, user.id, session?.id ?? 0);
    },
  },
  'consent withdrawn by an operator': {
    prepare:
      async ({ app: { services, account }, user, client }) =>
      () =>
        withdrawConsentOfUser(services, account, user.id, client.app_id),
  },
  'grants revoked by an operator': {
    prepare:
      async ({ app: { services, account }, user }) =>
      () =>
        revokeGrantsOfUser(services, account, user.id),
  },
  'consent withdrawn': {
    prepare: async (stage) => {
      const { services, account } = stage.app;
      const visit = await ownVisit(stage.app, stage.user);
      return () => withdrawConsent(services, account, visit, stage.client.app_id);
    },
  },
  'role removed': {
    byRole: true,
    prepare:
      async ({ app: { services, account }, user, roleId }) =>
      () =>
        removeRoleMembers(services, account, roleId ?? 0, 'users', [user.id]),
    restore: ({ app: { services, account }, user, roleId }) =>
      addRoleMembers(services, account, roleId ?? 0, 'users', [user.id]),
  },
  'access withdrawn': {
    prepare:
      async ({ app: { services, account }, email, client }) =>
      () =>
        revokeAccess(services, account, client.app_id, { user: email }),
    restore: ({ app: { services, account }, email, client }) =>
      grantAccess(services, account, client.app_id, { user: email }),
  },
  'client deleted': {
    prepare:
      async ({ app: { services, account }, client }) =>
      () =>
        removeApp(services, account, client.app_id),
  },
  'user deleted': {
    prepare:
      async ({ app: { services, account }, user }) =>
      () =>
        removeUser(services, account, user.id),
  },
  suspension: {
    prepare: async (stage) => () => status(stage, 2),
    restore: (stage) => status(stage, 1),
  },
} as const satisfies Readonly<Record<string, Ending>>;

export type EndingName = keyof typeof endings;
