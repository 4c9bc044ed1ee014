/** What a stranger may do so and so often from one source: how one attempt is made at each place that counts them. */

import { basic, type TestApp } from '../support/app.ts';
import { shown, sign, testKey } from '../support/assertions.ts';
import { askForCodes, deviceMetadata, type } from '../support/devices.ts';
import {
  authorizePath,
  CookieJar,
  type RegisteredClient,
  redirectUri,
  refresh,
  registerClient,
  signedIn,
  submit,
  walk,
} from '../support/sign-in.ts';
import { signedInBrowser } from '../support/sign-out.ts';
import { makePair } from '../surfaces/auth-2/pairs.ts';

/** Makes the attempt number `index` through `from`; answers its status. */
type Attempt = (from: TestApp, index: number) => Promise<number>;

export interface Door {
  readonly title: string;
  /** Name of the limit, and what it lets through unless the account says otherwise. */
  readonly limit: string;
  readonly allowed: number;
  /** Prepares what the attempts need, from an address of its own. */
  prepare(app: TestApp): Promise<Attempt>;
}

/** So many that two attempts in a row are not of the same. */
function several<Made>(make: () => Promise<Made>): Promise<Made[]> {
  return Promise.all([make(), make(), make()]);
}

const registration = { redirect_uris: [redirectUri] };

function guessToken(from: TestApp, clientId: string): Promise<number> {
  const form = { grant_type: 'client_credentials' };
  return from.send('POST', '/oauth2/token', { headers: basic(clientId, 'wrong'), form }).then(({ status }) => status);
}

function guessPair(from: TestApp, clientId: string): Promise<number> {
  const json = { grant_type: 'client_credentials' };
  const sent = { headers: basic(clientId, 'wrong'), json };
  return from.send('POST', '/auth/oauth2/v2/token', sent).then(({ status }) => status);
}

/** An unknown id in the right format. */
const unknownId = (index: number) => index.toString(16).padStart(32, '0');

export const doors: readonly Door[] = [
  {
    title: 'wrong sign-ins',
    limit: 'sign-in',
    allowed: 60,
    prepare: async (app) => {
      const client = await registerClient(app);
      const page = await walk(app, new CookieJar(), authorizePath(client));
      return async (from, index) => {
        const typed = { username: `nobody${index}@example.com`, password: 'wrong' };
        return (await submit(from, page, typed)).answer.status;
      };
    },
  },
  {
    title: 'unknown device codes',
    limit: 'sign-in',
    allowed: 60,
    prepare: async () => async (from) => (await type(from, 'BCDF-GHJK')).answer.status,
  },
  {
    title: 'wrong current passwords of a signed-in user',
    limit: 'sign-in',
    allowed: 60,
    prepare: async (app) => {
      const { jar } = await signedInBrowser(app);
      const page = await walk(app, jar, '/account/password');
      const next = 'a phrase of some words';
      const typed = { current_password: 'wrong', new_password: next, new_password_confirmation: next };
      return async (from) => (await submit(from, page, typed)).answer.status;
    },
  },
  {
    title: 'wrong passwords of the password grant',
    limit: 'sign-in',
    allowed: 60,
    prepare: async (app) => {
      const { client_id: id, client_secret: secret = '' } = await registerClient(app);
      return async (from, index) => {
        const form = { grant_type: 'password', username: `nobody${index}@example.com`, password: 'wrong' };
        return (await from.send('POST', '/oauth2/token', { headers: basic(id, secret), form })).status;
      };
    },
  },
  {
    title: 'open registrations',
    limit: 'register-open',
    allowed: 20,
    prepare: async () => async (from) => (await from.send('POST', '/oauth2/register', { json: registration })).status,
  },
  {
    title: 'links for a forgotten password',
    limit: 'reset',
    allowed: 20,
    prepare: async (app) => {
      const page = await walk(app, new CookieJar(), '/forgot-password');
      return async (from, index) => {
        return (await submit(from, page, { username: `nobody${index}@example.com` })).answer.status;
      };
    },
  },
  {
    title: 'wrong secrets of a client',
    limit: 'client-auth',
    allowed: 60,
    prepare: async (app) => {
      const { client_id: id } = await registerClient(app);
      return (from) => guessToken(from, id);
    },
  },
  {
    title: 'unknown clients, a different one each time',
    limit: 'client-auth',
    allowed: 60,
    prepare: async () => (from, index) => guessToken(from, unknownId(index)),
  },
  {
    title: 'client ids that are too long',
    limit: 'client-auth',
    allowed: 60,
    prepare: async () => (from, index) => guessToken(from, `${index}${'x'.repeat(11_000)}`),
  },
  {
    title: 'wrong secrets of an API credential',
    limit: 'client-auth',
    allowed: 60,
    prepare: async (app) => {
      const { clientId } = await makePair(app);
      return (from) => guessPair(from, clientId);
    },
  },
  {
    title: 'unknown API credentials, a different one each time',
    limit: 'client-auth',
    allowed: 60,
    prepare: async () => (from, index) => guessPair(from, `ac_${String(index).padStart(43, 'x')}`),
  },
  {
    title: 'wrong registration tokens of a client',
    limit: 'client-auth',
    allowed: 60,
    prepare: async (app) => {
      const { client_id: id } = await registerClient(app);
      return async (from) => (await guessRegistration(from, id)).status;
    },
  },
  {
    title: 'unknown registrations, a different one each time',
    limit: 'client-auth',
    allowed: 60,
    prepare: async () => async (from, index) => (await guessRegistration(from, unknownId(index))).status,
  },
  {
    title: 'authorization requests that are too large for the URL',
    limit: 'authorize',
    allowed: 300,
    prepare: async (app) => {
      const client = await registerClient(app);
      const path = authorizePath(client, { state: 's'.repeat(2048), nonce: 'n'.repeat(200) });
      return async (from) => (await from.send('GET', path)).status;
    },
  },
  {
    title: 'new device authorizations',
    limit: 'authorize',
    allowed: 300,
    prepare: async (app) => {
      const client = await registerClient(app, deviceMetadata);
      return async (from) => (await askForCodes(from, client)).status;
    },
  },
  {
    title: 'pushed requests of public clients, a different one each time',
    limit: 'authorize',
    allowed: 300,
    prepare: async (app) => {
      const clients = await several(() => registerClient(app, { token_endpoint_auth_method: 'none' }));
      return async (from, index) => {
        const { client_id: id } = clients[index % clients.length] as RegisteredClient;
        const form = Object.fromEntries(new URLSearchParams(authorizePath({ client_id: id }).split('?')[1]));
        return (await from.send('POST', '/oauth2/par', { form })).status;
      };
    },
  },
  {
    title: 'refused refreshes of a public client',
    limit: 'public-client',
    allowed: 600,
    prepare: async (app) => {
      const { client, tokens } = await signedIn(app, { token_endpoint_auth_method: 'none' });
      await app.send('POST', '/oauth2/revoke', { form: { client_id: client.client_id, token: tokens.refresh_token } });
      return async (from) => (await refresh(from, client, tokens.refresh_token)).status;
    },
  },
  {
    title: 'assertions of clients of open registration, a different one each time',
    limit: 'public-client',
    allowed: 600,
    prepare: async (app) => {
      const key = await testKey('ES256', 'k');
      const json = { ...registration, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };
      const clients = await several(async () => (await app.send('POST', '/oauth2/register', { json })).body);
      return async (from, index) => {
        const { client_id: id } = clients[index % clients.length] as RegisteredClient;
        const form = { ...shown(await sign(app, id, key)), token: 'x' };
        return (await from.send('POST', '/oauth2/revoke', { form })).status;
      };
    },
  },
  {
    title: 'pushed requests of a client',
    limit: 'par',
    allowed: 600,
    prepare: async (app) => {
      const { client_id: id, client_secret: secret = '' } = await registerClient(app);
      const form = Object.fromEntries(new URLSearchParams(authorizePath({ client_id: id }).split('?')[1]));
      return async (from) => (await from.send('POST', '/oauth2/par', { headers: basic(id, secret), form })).status;
    },
  },
];

function guessRegistration(from: TestApp, clientId: string) {
  return from.send('GET', `/oauth2/register/${clientId}`, { headers: { authorization: 'Bearer rg_guess' } });
}
