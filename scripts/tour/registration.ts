import { expectJson } from './http.ts';
import { expect } from './surprise.ts';
import { bearer, type RegisteredClient, type Step } from './tour.ts';

/** Where the service sends the browser back to. Nothing listens there: the tour reads the address and stops. */
export const redirectUri = 'https://portal.example.com/callback';

export const registerClient: Step = {
  title: 'Register a client, at the documented door',
  about:
    'A gateway registers an OpenID Connect client. The answer holds the secret, this once, and the app of the client.',
  run: async ({ send, recall, learn }) => {
    const answer = await send('POST', '/oidc/2/register', {
      headers: bearer(recall('credentialToken')),
      json: {
        client_name: 'Gateway Portal',
        application_type: 'web',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    });
    const client = expectJson<RegisteredClient>(answer, 200);
    expect(
      Boolean(client.client_id && client.client_secret),
      'the answer should have held a client_id and a client_secret',
    );
    learn('client', client);
  },
};
