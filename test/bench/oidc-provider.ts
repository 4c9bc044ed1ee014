/**
 * The peer: oidc-provider, configured to do what the service under test does in each measured request: a rotating
 * refresh token, an opaque access token, an id token with the user's claims (RS256, 2,048 bits), clients that
 * authenticate by client_secret_basic, registration with a token.
 *
 *     node test/bench/oidc-provider.ts <map or sqlite> <folder> <refresh tokens>
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { mapStorage, sqliteStorage } from './oidc-provider-adapters.ts';
import { benchUser, scope, serveParent } from './peer.ts';

const [kind = 'map', folder = '.', count = '0'] = process.argv.slice(2);
const storage = kind === 'sqlite' ? sqliteStorage(folder) : mapStorage();
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const clientId = 'bench';
const clientSecret = randomBytes(32).toString('base64url');
const seededScope = `${scope} offline_access`;

const provider = new Provider('http://oidc-provider.localhost', {
  adapter: storage.adapter,
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'peer' }] },
  cookies: { keys: [randomBytes(16).toString('hex')] },
  claims: { openid: ['sub'], email: ['email'], profile: ['name', 'given_name', 'family_name'] },
  // The user's claims in the id token itself.
  conformIdTokenClaims: false,
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    // One write a registration, as in the service under test: no token to manage the client by.
    registration: { enabled: true, initialAccessToken: true, issueRegistrationAccessToken: false },
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
const refreshTokens: string[] = [];
let registrationToken = '';

async function seed(): Promise<void> {
  // A client as registration stores it: looked up in the adapter at every request.
  await storage.adapter('Client').upsert(clientId, {
    client_id: clientId,
    client_secret: clientSecret,
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    redirect_uris: ['https://app.example.com/callback'],
    token_endpoint_auth_method: 'client_secret_basic',
  });
  const client = await provider.Client.find(clientId);
  for (let id = 1; id <= Number(count); id += 1) {
    storage.addUser(id, benchUser(id));
    const accountId = String(id);
    const grant = new provider.Grant({ accountId, clientId });
    grant.addOIDCScope(seededScope);
    const grantId = await grant.save();
    const given = { accountId, client, grantId, scope: seededScope, authTime, gty: 'authorization_code' };
    refreshTokens.push(await new provider.RefreshToken({ ...given, amr: ['pwd'] }).save());
  }
  registrationToken = await new provider.InitialAccessToken({}).save();
}

await storage.together(seed);
await serveParent(createServer(provider.callback()), (port) => {
  return { port, storage: storage.describe(), clientId, clientSecret, refreshTokens, registrationToken };
});
