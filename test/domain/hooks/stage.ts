/** An account with hooks, a client and a user. */

import assert from 'node:assert/strict';
import { createPolicy, type NewPolicy } from '../../../src/domain/policies/policies.ts';
import { digestOf } from '../../../src/domain/secrets.ts';
import type { PolicyRecord } from '../../../src/store/policies.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  makeUser,
  password,
  type RegisteredClient,
  registerClient,
  submit,
  type Walk,
  walk,
} from '../../support/sign-in.ts';
import { type Management, managing } from '../../surfaces/api-2/managing.ts';

export interface LogRecord {
  readonly request_id: string;
  readonly correlation_id: string;
  readonly created_at: string;
  readonly outcome: string;
  readonly duration_ms: number;
  readonly attempt: number;
  readonly events: readonly string[];
}

export interface Stage {
  readonly app: TestApp;
  readonly api: Management;
  readonly client: RegisteredClient;
  readonly user: UserRecord;
  /** The same account, client and user through another application. */
  seenFrom(app: TestApp): Promise<Stage>;
  /** Makes a hook whose handler has this body; answers its id. */
  hook(body: string, members?: object): Promise<string>;
  policy(given?: Partial<NewPolicy>): Promise<PolicyRecord>;
  /** Signs in as a browser does, to the page that comes next or the client. */
  signIn(username?: string, typed?: string, userAgent?: string): Promise<Walk>;
  /** The status of the page that answers; 0 when the client got its code or consent is asked. */
  status(username?: string, typed?: string): Promise<number>;
  logs(id: string, query?: string): Promise<LogRecord[]>;
  /** Actions of the trail, oldest first, with their details. */
  told(action: string): Promise<unknown[]>;
  /** Until when the newest session of the user lasts unused, in minutes. */
  idleMinutes(walked: Walk): Promise<number>;
  passwordGrant(): Promise<{ readonly status: number; readonly text: string }>;
}

export const handlerOf = (body: string): string =>
  Buffer.from(`exports.handler = async (context) => { ${body} };`).toString('base64');

export async function stage(parent: TestApp, settings: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const app = await parent.another({ 'limit.sign-in': 'off', 'limit.api-2': 'off', ...settings });
  const client = await registerClient(app);
  return staged(app, client, await makeUser(app, client.app_id));
}

async function staged(app: TestApp, client: RegisteredClient, user: UserRecord): Promise<Stage> {
  const api = await managing(app);
  const { store, services } = { store: app.services.store, services: app.services };
  const signIn: Stage['signIn'] = async (username = user.email ?? '', typed = password, userAgent = undefined) => {
    const at = await walk(app, new CookieJar(), authorizePath(client));
    const headers = userAgent === undefined ? {} : { 'user-agent': userAgent };
    const sending = {
      send: (method: string, path: string, sent: object = {}) => withHeaders(app, method, path, sent, headers),
    };
    return submit(sending, at, { username, password: typed });
  };
  return {
    app,
    api,
    client,
    user,
    seenFrom: (other) => staged(other, client, user),
    hook: async (body, members = {}) => {
      const made = await api.done(201, 'POST', '/hooks', {
        type: 'pre-authentication',
        function: handlerOf(body),
        ...members,
      });
      return made.id;
    },
    policy: (given = {}) => createPolicy(services, app.account, { name: unique('policy'), ...given }),
    signIn,
    status: async (...given) => {
      const { answer } = await signIn(...given);
      return answer.status === 303 || /value="allow"/.test(answer.text) ? 0 : answer.status;
    },
    logs: (id, query = '') => api.done(200, 'GET', `/hooks/${id}/logs${query}`),
    told: async (action) => {
      const events = await store.events.listAfter(app.account.id, 0, 10_000);
      return events.filter((event) => event.action === action).map(({ detail }) => JSON.parse(detail));
    },
    idleMinutes: async ({ jar }) => {
      const secret = [...jar.cookies].find(([name]) => name.endsWith('sid'))?.[1] ?? '';
      const session = await store.sessions.find(app.account.id, digestOf(secret));
      assert.ok(session, 'nobody is signed in');
      return session.idleMilliseconds / 60_000;
    },
    passwordGrant: async () => {
      const { headers, form } = clientAuthentication(client);
      const credentials = { grant_type: 'password', username: user.email ?? '', password, scope: 'openid' };
      return app.send('POST', '/oauth2/token', { headers, form: { ...form, ...credentials } });
    },
  };
}

function withHeaders(app: TestApp, method: string, path: string, sent: object, headers: Record<string, string>) {
  const { headers: own = {} } = sent as { headers?: Record<string, string> };
  return app.send(method, path, { ...sent, headers: { ...own, ...headers } });
}
