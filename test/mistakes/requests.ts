import type { Sent, TestApp } from '../support/app.ts';
import { makeUser, redirectUri, registerClient } from '../support/sign-in.ts';
import type { Mistake } from './mistake.ts';

type Request = readonly [made: string, says: RegExp, sent?: Sent];

/** What the requests name. */
interface Named {
  /** Headers of a caller who may do all, and of one who may read users. */
  readonly all: Readonly<Record<string, string>>;
  readonly few: Readonly<Record<string, string>>;
  /** Of a client that is registered, and of one that is not. */
  readonly client: Readonly<Record<string, string>>;
  readonly stranger: Readonly<Record<string, string>>;
  readonly clientId: string;
  readonly user: string;
  readonly userId: number;
}

const json = { 'content-type': 'application/json' };

function managing({ all, few, user, userId }: Named): Request[] {
  const users = (body: unknown): Sent => ({ headers: all, json: body });
  const raw = (text: string, headers: Readonly<Record<string, string>> = json): Sent => ({
    headers: { ...all, ...headers },
    raw: text,
  });
  return [
    ['GET /api/2/users', /requires user authentication/],
    ['GET /api/2/users', /requires user authentication/, { headers: { authorization: 'Bearer nope' } }],
    ['DELETE /api/2/users/1', /scopes is required: manage_users, manage_all/, { headers: few }],
    ['GET /api/2/user', /could not be found/, { headers: all }],
    ['GET /api/2/users/0x1', /could not be found/, { headers: all }],
    ['GET /api/2/users/99', /could not be found/, { headers: all }],
    ['GET /api/2/users?limit=0', /at least 1/, { headers: all }],
    ['GET /api/2/users?limit=ten', /an integer/, { headers: all }],
    ['GET /api/2/users?page=0', /at least 1/, { headers: all }],
    ['GET /api/2/users?cursor=abc', /cursor does not belong to this list; leave it out/, { headers: all }],
    ['GET /api/2/users?cursor=', /at least 1 character/, { headers: all }],
    ['GET /api/2/users?sort=colour', /one of id, email/, { headers: all }],
    ['GET /api/2/users?colour=red', /unknown parameter: colour; known are limit/, { headers: all }],
    ['GET /api/2/users?fields=colour', /fields must name members .*: .*email/, { headers: all }],
    ['GET /api/2/users?email[$ne]=x', /unknown parameter: email\[\$ne\]; known are limit/, { headers: all }],
    ['GET /api/2/users?status=asleep', /status must be/, { headers: all }],
    ['GET /api/2/events?since=yesterday', /unknown parameter: since; known are .*created_since/, { headers: all }],
    ['PATCH /api/2/users/1', /not allowed; the Allow header/, users({})],
    ['POST /api/2/users', /an email or a username/, users({})],
    ['POST /api/2/users', /name@domain/, users({ email: 'ada' })],
    ['POST /api/2/users', /email must be a string/, users({ email: 5 })],
    ['POST /api/2/users', /already been taken/, users({ email: user })],
    ['POST /api/2/users', /8 to 256 characters/, users({ email: 'x@example.com', password: 'short' })],
    ['POST /api/2/users', /status must be 0, 1/, users({ email: 'x@example.com', status: 9 })],
    ['POST /api/2/users', /the body must be an object/, users([])],
    ['POST /api/2/users', /not valid JSON/, raw('{"email":')],
    ['POST /api/2/users', /must be application\/json/, raw('email=x', { 'content-type': 'text/plain' })],
    ['POST /api/2/users', /email is given twice/, raw('{"email":"a@b.c","email":"d@e.f"}')],
    ['PUT /api/2/users/1', /the body is missing/, { headers: all }],
    [
      `PUT /api/2/users/${userId}`,
      /changed meanwhile; read it again/,
      { headers: { ...all, 'if-match': '"former"' }, json: { firstname: 'x' } },
    ],
    ['POST /api/2/users', /Idempotency-Key must have/, { headers: { ...all, 'idempotency-key': '' }, json: {} }],
    ['POST /api/2/roles', /at least 1 character/, users({ name: '' })],
    ['POST /api/2/roles', /at most 255 characters/, users({ name: 'x'.repeat(300) })],
    ['POST /api/2/policies', /name is required/, users({})],
    ['POST /api/2/hooks', /type is required/, users({})],
    [
      'POST /api/2/hooks',
      /exports no handler, but hander: write exports.handler/,
      users({ type: 'pre-authentication', function: Buffer.from('exports.hander = 1;').toString('base64') }),
    ],
    ['POST /api/2/hooks', /pre-authentication or user-migration/, users({ type: 'login', function: '', runtime: 'x' })],
    ['POST /api/2/credentials', /is required/, users({})],
    ['PUT /api/2/hooks/envs/1', /Invalid env record ID/, users({ value: 'y' })],
  ];
}

function standard({ client, stranger, clientId }: Named): Request[] {
  const token = (form: Readonly<Record<string, string>>, headers = client): Sent => ({ headers, form });
  const register = (metadata: object): Sent => ({ json: metadata });
  const redirects = { redirect_uris: [redirectUri] };
  const ask = (query: string) => `GET /oauth2/authorize?client_id=${clientId}${query}`;
  const back = `&redirect_uri=${encodeURIComponent(redirectUri)}`;
  return [
    ['POST /oauth2/token', /must be application\/x-www-form-urlencoded/],
    ['POST /oauth2/token', /must be application\/x-www-form-urlencoded/, { json: { grant_type: 'refresh_token' } }],
    [
      'POST /oauth2/token',
      /unsupported grant_type requested \(code\); grant_types_supported/,
      token({ grant_type: 'code' }),
    ],
    ['POST /oauth2/token', /code is missing/, token({ grant_type: 'authorization_code' })],
    ['POST /oauth2/token', /expired, revoked/, token({ grant_type: 'authorization_code', code: 'zzz' })],
    ['POST /oauth2/token', /expired, revoked/, token({ grant_type: 'refresh_token', refresh_token: 'zzz' })],
    [
      'POST /oauth2/token',
      /may not use this grant type: its grant_types/,
      token({ grant_type: 'password', username: 'a', password: 'b' }),
    ],
    ['POST /oauth2/token', /Client authentication failed/, token({ grant_type: 'client_credentials' }, stranger)],
    ['POST /oauth2/token', /given twice/, { form: 'grant_type=refresh_token&grant_type=password' }],
    ['GET /oauth2/token', /not allowed; the Allow header/],
    ['POST /oauth2/register', /redirect_uris is a mandatory property/, register({})],
    ['POST /oauth2/register', /must be https/, register({ redirect_uris: ['http://app.example.com/cb'] })],
    ['POST /oauth2/register', /fragment/, register({ redirect_uris: ['https://app.example.com/cb#x'] })],
    ['POST /oauth2/register', /must be an array/, register({ redirect_uris: redirectUri })],
    [
      'POST /oauth2/register',
      /at least one of authorization_code/,
      register({ ...redirects, grant_types: ['password'] }),
    ],
    [
      'POST /oauth2/register',
      /client_secret_basic or/,
      register({ ...redirects, token_endpoint_auth_method: 'magic' }),
    ],
    [
      'POST /oauth2/register',
      /jwks and jwks_uri are mutually exclusive/,
      register({ ...redirects, jwks: { keys: [] }, jwks_uri: 'https://app.example.com/keys' }),
    ],
    ['POST /oauth2/register', /software_statement/, register({ ...redirects, software_statement: 'x' })],
    ['GET /oauth2/userinfo', /missing, unknown, expired or revoked/],
    ['POST /oauth2/introspect', /Client authentication failed/, { form: { token: 'x' } }],
    ['POST /oauth2/introspect', /token is missing/, token({})],
    ['POST /oauth2/revoke', /token is missing/, token({})],
    ['POST /oauth2/device_authorization', /Client authentication failed/, { form: {} }],
    ['GET /oauth2/authorize', /not registered \(client_id\)/],
    ['GET /oauth2/authorize?client_id=nobody', /not registered \(client_id\)/],
    [ask('&redirect_uri=https://elsewhere.example/'), /\(redirect_uri\) is not registered/],
    [ask(`&response_type=token${back}`), /response_type\+must\+be\+code/],
    [ask(`&response_type=code&scope=openid&code_challenge=x${back}`), /code_challenge_method\+must\+be\+S256/],
    [ask(`&response_type=code&scope=none${back}`), /invalid_scope/],
    [ask(`&response_type=code&scope=openid&prompt=maybe${back}`), /prompt/],
    [ask(`&response_type=code&scope=openid&max_age=soon${back}`), /max_age/],
    ['GET /sign-in', /has ended or belongs to another browser/],
    ['GET /account/nowhere', /not known to this service. Check it/],
  ];
}

function others(): Request[] {
  return [
    ['POST /oidc/2/register', /Unauthorized/, { json: {} }],
    ['POST /oidc/2/token', /unsupported grant_type requested \(x\)/, { form: { grant_type: 'x' } }],
    ['POST /auth/oauth2/v2/token', /grant_type is incorrect/, { form: {} }],
    ['POST /auth/oauth2/v2/token', /Authentication Failure/, { form: { grant_type: 'client_credentials' } }],
    ['GET /auth/rate_limit', /Authentication Failure/],
    ['GET /nothing', /not_found/],
  ];
}

async function name(app: TestApp): Promise<Named> {
  const bearer = async (scope: 'manage_all' | 'read_users') => ({ authorization: `Bearer ${await app.bearer(scope)}` });
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  });
  const { client_id: clientId, client_secret: secret } = await registerClient(app);
  const { id: userId, email } = await makeUser(app);
  return {
    all: await bearer('manage_all'),
    few: await bearer('read_users'),
    client: basic(clientId, secret ?? ''),
    stranger: basic('nobody', 'guess'),
    clientId,
    user: email ?? '',
    userId,
  };
}

/** A page as its reader has it. */
function textOf(html: string): string {
  const [, body = ''] = /<body[^>]*>([\s\S]*)<\/body>/.exec(html) ?? [];
  return body
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

export async function requestMistakes(app: TestApp): Promise<readonly Mistake[]> {
  const named = await name(app);
  return [...managing(named), ...standard(named), ...others()].map(([made, says, sent]) => ({
    made: `${made}${sent?.json === undefined ? '' : ` ${JSON.stringify(sent.json).slice(0, 80)}`}`,
    told: async () => {
      const [method = '', path = ''] = made.split(' ');
      const { status, headers, text } = await app.send(method, path, sent);
      if (status >= 500) return `status ${status}`;
      if (status < 300) return '';
      if (status < 400) return String(headers['location']);
      return String(headers['content-type']).startsWith('text/html') ? textOf(text) : text;
    },
    says,
  }));
}
