/**
 * The peer: oidc-provider, configured to do what the service under test does in each measured request: a rotating
 * refresh token, an opaque access token, an id token with the user's claims (RS256, 2,048 bits), clients that
 * authenticate by client_secret_basic, registration with a token. One client has id tokens that are signed with ES256,
 * another one access tokens that are signed (RFC 9068). Proofs (RFC 9449) need a nonce.
 *
 *     node test/bench/oidc-provider.ts <map or sqlite> <folder> <refresh tokens>
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { mapStorage, sqliteStorage } from './oidc-provider-adapters.ts';
import { benchUser, scope, serveParent } from './peer.ts';
import { basicAuthorization } from './servers.ts';

const [kind = 'map', folder = '.', count = '0'] = process.argv.slice(2);
const storage = kind === 'sqlite' ? sqliteStorage(folder) : mapStorage();
const newSecret = () => randomBytes(32).toString('base64url');
const clientId = 'bench';
const clientSecret = newSecret();
/** Whose access tokens are for an API. */
const apiClientId = 'api';
const api = 'https://api.example.com/bench';
const apiScope = 'orders';
const seededScope = `${scope} offline_access`;

const keys = [
  { key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, alg: 'RS256' },
  { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, alg: 'ES256' },
];

const provider = new Provider('http://oidc-provider.localhost', {
  adapter: storage.adapter,
  jwks: { keys: keys.map(({ key, alg }) => ({ ...key.export({ format: 'jwk' }), alg, use: 'sig', kid: alg })) },
  cookies: { keys: [randomBytes(16).toString('hex')] },
  claims: { openid: ['sub'], email: ['email'], profile: ['name', 'given_name', 'family_name'] },
  // The user's claims in the id token itself.
  conformIdTokenClaims: false,
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
    // One write a registration, as in the service under test: no token to manage the client by.
    registration: { enabled: true, initialAccessToken: true, issueRegistrationAccessToken: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_context: unknown, client: { readonly clientId: string }) =>
        client.clientId === apiClientId ? api : undefined,
      useGrantedResource: () => true,
      getResourceServerInfo: () => {
        return { scope: apiScope, accessTokenFormat: 'jwt', accessTokenTTL: 3600, jwt: { sign: { alg: 'RS256' } } };
      },
    },
  },
  findAccount: (_context: unknown, id: string) => {
    const user = storage.findUser(Number(id));
    return (
      user && {
        accountId: id,
        claims: () => ({
          sub: id,
          email: user.email,
          name: `${user.firstname} ${user.lastname}`,
          given_name: user.firstname,
          family_name: user.lastname,
        }),
      }
    );
  },
  rotateRefreshToken: true,
  ttl: { AccessToken: 3600, ClientCredentials: 3600, IdToken: 3600, RefreshToken: 1_209_600, Grant: 7_776_000 },
});

const authTime = Math.floor(Date.now() / 1000);

/** A client as registration stores it: looked up in the adapter at every request. */
async function addClient(id: string, secret: string, more: object = {}): Promise<object | undefined> {
  await storage.adapter('Client').upsert(id, {
    client_id: id,
    client_secret: secret,
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    redirect_uris: ['https://app.example.com/callback'],
    token_endpoint_auth_method: 'client_secret_basic',
    ...more,
  });
  return provider.Client.find(id);
}

/** The tokens of the first users at a client; `resource`: the API that they are for. */
async function signIn(id: string, client: object | undefined, users: number, resource?: string) {
  const tokens: { refresh: string; access: string }[] = [];
  for (let number = 1; number <= users; number += 1) {
    const accountId = String(number);
    const grant = new provider.Grant({ accountId, clientId: id });
    grant.addOIDCScope(seededScope);
    if (resource !== undefined) grant.addResourceScope(resource, apiScope);
    const grantId = await grant.save();
    const granted = resource === undefined ? seededScope : `${seededScope} ${apiScope}`;
    const given = { accountId, client, grantId, scope: granted, gty: 'authorization_code' };
    const refresh = await new provider.RefreshToken({ ...given, resource, authTime, amr: ['pwd'] }).save();
    const access = resource === undefined ? await new provider.AccessToken({ ...given, scope }).save() : '';
    tokens.push({ refresh, access });
  }
  return tokens;
}

const users = Number(count);
/** Of each kind of refresh that is not the usual one. */
const fewUsers = Math.min(256, users);

async function seed() {
  for (let number = 1; number <= users; number += 1) storage.addUser(number, benchUser(number));
  const client = await addClient(clientId, clientSecret);
  const es256Secret = newSecret();
  const es256 = await addClient('es256', es256Secret, { id_token_signed_response_alg: 'ES256' });
  const apiSecret = newSecret();
  const apiClient = await addClient(apiClientId, apiSecret);
  const refreshed = (tokens: Awaited<ReturnType<typeof signIn>>) => tokens.map(({ refresh }) => refresh);
  const usual = await signIn(clientId, client, users);
  const basic = basicAuthorization(clientId, clientSecret);
  const apiBasic = basicAuthorization(apiClientId, apiSecret);
  const accessTokens = usual.map(({ access }) => access);
  return {
    refreshTokens: refreshed(usual),
    registrationToken: await new provider.InitialAccessToken({}).save(),
    targets: {
      'refresh-es256': {
        path: '/token',
        authorization: basicAuthorization('es256', es256Secret),
        tokens: refreshed(await signIn('es256', es256, fewUsers)),
      },
      'refresh-dpop': {
        path: '/token',
        authorization: basic,
        tokens: refreshed(await signIn(clientId, client, fewUsers)),
      },
      'refresh-jwt': {
        path: '/token',
        authorization: apiBasic,
        tokens: refreshed(await signIn(apiClientId, apiClient, fewUsers, api)),
      },
      'client-credentials-jwt': { path: '/token', authorization: apiBasic },
      introspection: { path: '/token/introspection', authorization: basic, tokens: accessTokens },
      userinfo: { path: '/me', tokens: accessTokens },
      pushed: { path: '/request', authorization: basic, clientId },
      jwks: { path: '/jwks' },
      discovery: { path: '/.well-known/openid-configuration' },
    },
  };
}

const seeded = await storage.together(seed);
await serveParent(createServer(provider.callback()), (port) => {
  return { port, storage: storage.describe(), clientId, clientSecret, ...seeded };
});
