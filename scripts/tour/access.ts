import { randomBytes } from 'node:crypto';
import { expectJson } from './http.ts';
import { redeem } from './sign-in.ts';
import { expect } from './surprise.ts';
import { basic, bearer, type Step } from './tour.ts';

export const grantAccess: Step = {
  title: 'Assign access',
  about:
    'A registration makes an app that nobody may use yet. A program of the operator looks the user up and assigns the ' +
    'app to them.',
  run: async ({ send, recall, learn, demo }) => {
    const headers = bearer(recall('credentialToken'));
    const query = new URLSearchParams({ email: demo.user.email, fields: 'id,email' });
    const [user] = expectJson<{ id: number }[]>(await send('GET', `/api/2/users?${query}`, { headers }), 200);
    expect(user !== undefined, `there is no user ${demo.user.email}`);
    const users = `/api/2/apps/${recall('client').app_id}/users`;
    expectJson(await send('POST', users, { headers, json: [user.id] }), 200);
    learn('demoUser', user);
  },
};

export const createUser: Step = {
  title: 'Create a user with a role',
  about:
    'A role gives apps to all its users. A new colleague gets the role with the account, and with the role the app.',
  run: async ({ send, recall, learn }) => {
    const headers = bearer(recall('credentialToken'));
    const made = await send('POST', '/api/2/roles', {
      headers,
      json: { name: `Portal users ${randomName()}`, apps: [recall('client').app_id] },
    });
    const role = expectJson<{ id: number }>(made, 201);
    learn('role', role);
    const created = await send('POST', '/api/2/users', {
      headers,
      json: {
        email: `grace.${randomName()}@example.com`,
        firstname: 'Grace',
        lastname: 'Hopper',
        password: randomBytes(24).toString('base64url'),
        role_ids: [role.id],
      },
    });
    const user = expectJson<{ id: number; email: string; status: number }>(created, 201);
    expect(user.status === 1, 'a user who has a password should be active');
    learn('user', user);
    const apps = expectJson<{ id: number }[]>(await send('GET', `/api/2/users/${user.id}/apps`, { headers }), 200);
    expect(
      apps.some(({ id }) => id === recall('client').app_id),
      'the user should have been given the app',
    );
  },
};

export const takeAccessAway: Step = {
  title: 'Take access away',
  about:
    'The operator takes the app away from the first user. What the client holds for this user ends with the answer: the ' +
    'refresh token of the last sign-in is refused.',
  run: async (tour) => {
    const { send, recall } = tour;
    const { refresh_token } = await redeem(tour);
    const { status } = await send('DELETE', `/api/2/apps/${recall('client').app_id}/users`, {
      headers: bearer(recall('credentialToken')),
      json: [recall('demoUser').id],
    });
    expect(status === 204, `the answer should have been 204, and it was ${status}`);
    const refused = await send('POST', '/oidc/2/token', {
      headers: basic(recall('client')),
      form: { grant_type: 'refresh_token', refresh_token },
    });
    expectJson(refused, 401);
  },
};

export const tidyUp: Step = {
  title: 'Tidy up',
  about:
    'What the tour made besides the client goes again: the hook and its variable, the APIs with their scopes, claims ' +
    'and links, the program, the user, the role.',
  run: async ({ send, recall }) => {
    const headers = bearer(recall('credentialToken'));
    const hook = recall('hook');
    const gone = await send('DELETE', `/api/2/hooks/${hook.id}`, { headers });
    expect(gone.status === 202, `the answer should have been 202, and it was ${gone.status}`);
    for (const path of [
      `/api/2/hooks/envs/${hook.variableId}`,
      `/api/2/api_authorizations/${recall('api').id}`,
      `/api/2/api_authorizations/${recall('mcp').id}`,
      `/api/2/apps/${recall('program').app_id}`,
      `/api/2/users/${recall('user').id}`,
      `/api/2/roles/${recall('role').id}`,
    ]) {
      const { status } = await send('DELETE', path, { headers });
      expect(status === 204, `the answer should have been 204, and it was ${status}`);
    }
  },
};

/** Names that are taken are refused, and the tour can be walked again and again. */
export function randomName(): string {
  return randomBytes(4).toString('hex');
}
