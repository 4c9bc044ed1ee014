/** The thirteen causes for which somebody cannot sign in, each planted in an account of its own. */

import { recordEvent } from '../../../src/domain/audit/record.ts';
import { noteClockFault } from '../../../src/domain/clients/clock-faults.ts';
import type { HookRunner } from '../../../src/domain/hooks/runner.ts';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import { scriptedHooks } from '../../support/scripted-hooks.ts';
import { closeCodes, giveDevice } from '../../support/second-factor.ts';
import { makeUser, type RegisteredClient, registerClient, signInForCode } from '../../support/sign-in.ts';
import { type Management, managing } from '../../surfaces/api-2/managing.ts';

export interface Cast {
  readonly app: TestApp;
  readonly api: Management;
  readonly client: RegisteredClient;
  readonly user: UserRecord;
}

export const scripted = scriptedHooks();
let ending: 'success' | 'timeout' = 'success';

/** Runs every hook of the cast. */
export const runner: HookRunner = {
  ...scripted,
  run: async (run) => ({ ...(await scripted.run(run)), ...(ending === 'timeout' && { ending, value: 'null' }) }),
};

/** Hooks pass from now on, or none answers in time. */
export function resetHooks(next: typeof ending = 'success'): void {
  scripted.answer = () => null;
  ending = next;
}

/** An account in which nothing stands in the way, and whose hooks refuse where they fail. */
export async function gatherCast(opened: TestApp): Promise<Cast> {
  resetHooks();
  const settings = { 'limit.sign-in': 'off', 'limit.api-2': 'off', 'limit.hooks': 'off', hook_failure: 'deny' };
  const app = await opened.another(settings);
  const api = await managing(app);
  const client = await registerClient(app);
  return { app, api, client, user: await makeUser(app, client.app_id) };
}

export async function hookOf({ api }: Cast): Promise<string> {
  const source = Buffer.from('exports.handler = async () => null;').toString('base64');
  const hook = { type: 'pre-authentication', function: source, timeout: 1, retries: 0 };
  return (await api.done(201, 'POST', '/hooks', hook)).id;
}

/** Plants a state; answers what the explanation is asked with besides, and the path of the remedy. */
type Plant = (cast: Cast) => Promise<{ readonly asked?: object; readonly path?: string; readonly outcome?: string }>;

export const set = async ({ api, user }: Cast, members: object) => api.done(200, 'PUT', `/users/${user.id}`, members);
export const strict = ({ app: { services, account } }: Cast) =>
  createPolicy(services, account, { name: unique('strict'), otpRequired: true });

/** The step whose cause is told, and the state that it is told for. */
export const planted: Readonly<Record<string, readonly [step: string, cause: string, plant: Plant]>> = {
  locked: [
    'user',
    'user_locked',
    async (cast) => {
      await set(cast, { status: 3 });
      return { path: `/users/${cast.user.id}/unlock` };
    },
  ],
  suspended: [
    'user',
    'user_suspended',
    async (cast) => {
      await set(cast, { status: 2 });
      return { path: `/users/${cast.user.id}` };
    },
  ],
  'no access': [
    'access',
    'access_not_assigned',
    async (cast) => {
      await cast.api.done(204, 'DELETE', `/apps/${cast.client.app_id}/users`, [cast.user.id]);
      return { path: `/apps/${cast.client.app_id}/users` };
    },
  ],
  'wrong policy': [
    'policy',
    'policy_of_user',
    async (cast) => {
      await set(cast, { policy_id: (await strict(cast)).id });
      return { path: `/users/${cast.user.id}`, outcome: 'asks' };
    },
  ],
  'factor missing': [
    'second_factor',
    'second_factor_missing',
    async (cast) => {
      await cast.api.done(200, 'PUT', `/apps/${cast.client.app_id}`, { policy_id: (await strict(cast)).id });
      return { path: `/mfa/users/${cast.user.id}/registrations`, outcome: 'asks' };
    },
  ],
  'second factor closed': [
    'second_factor',
    'second_factor_closed',
    async ({ app, user }) => {
      await closeCodes(app, user, await giveDevice(app, user));
      return { path: `/users/${user.id}/unlock` };
    },
  ],
  'hook refuses': [
    'hooks',
    'hook_refused',
    async (cast) => {
      const id = await hookOf(cast);
      scripted.answer = () => ({ success: false });
      return { path: `/hooks/${id}` };
    },
  ],
  'hook times out': [
    'hooks',
    'hook_timed_out',
    async (cast) => {
      const id = await hookOf(cast);
      resetHooks('timeout');
      return { path: `/hooks/${id}` };
    },
  ],
  'expired password': [
    'password_age',
    'new_password_due',
    async (cast) => {
      const { services, account } = cast.app;
      await services.store.users.update(account.id, cast.user.id, { status: 4 });
      return { path: `/users/${cast.user.id}`, outcome: 'asks' };
    },
  ],
  'consent withdrawn': [
    'consent',
    'consent_withdrawn',
    async (cast) => {
      await signInForCode(cast.app, cast.client, cast.user);
      await cast.api.done(204, 'DELETE', `/users/${cast.user.id}/consents/${cast.client.app_id}`);
      return { outcome: 'asks' };
    },
  ],
  'client expired': [
    'client',
    'client_expired',
    async ({ app: { services, account } }) => {
      const clientId = unique('gone').slice(0, 30);
      const target = { type: 'app', id: 999 } as const;
      const detail = { reason: 'idle', days: 30, client_id: clientId } as const;
      await services.store.transaction((tx) =>
        recordEvent(tx, services, account, { action: 'app.expired', target, detail }),
      );
      return { asked: { client_id: clientId }, path: '/apps' };
    },
  ],
  'redirect URI differs': [
    'request',
    'redirect_uri_differs',
    async ({ client }) => ({
      asked: { redirect_uri: 'https://app.example.com/callback/' },
      path: `/apps/${client.app_id}`,
    }),
  ],
  clock: [
    'clock',
    'clock_differs',
    async ({ app: { services, account }, client }) => {
      noteClockFault(services, account, { appId: client.app_id }, { what: 'proof', aheadSeconds: -4000 });
      return {};
    },
  ],
};
