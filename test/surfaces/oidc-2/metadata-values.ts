/** What the members of a registration can be given. */

import { bidiControls } from '../../support/controls.ts';
import { hostsThatAreNoSource } from '../../support/hosts.ts';

export const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };

/** Values that are answered as sent. */
export const taken: Readonly<Record<string, readonly unknown[]>> = {
  client_name: ['x', 'Ä'.repeat(255), '🦊'.repeat(255), 'مرحبا', ' spaced '],
  application_type: ['web', 'native'],
  token_endpoint_auth_method: ['client_secret_basic', 'client_secret_post', 'none'],
  subject_type: ['public', 'pairwise'],
  grant_types: [
    ['authorization_code'],
    ['client_credentials'],
    ['authorization_code', 'implicit', 'password', 'refresh_token', 'client_credentials'],
  ],
  response_types: [['code'], ['id_token token'], ['code', 'id_token token', 'id_token']],
  scope: ['openid', 'openid profile email groups'],
  id_token_signed_response_alg: ['RS256', 'ES256'],
  post_logout_redirect_uris: [[], ['https://app.example.com/out', 'http://localhost:3000/out']],
  logo_uri: [
    'https://app.example.com/logo.png',
    'http://app.example.com/logo.png',
    'https://127.0.0.1:8443/logo.png',
    'https://cdn/logo.png',
  ],
  login_url: ['https://app.example.com/login'],
  client_uri: ['https://app.example.com'],
  policy_uri: ['https://app.example.com/privacy'],
  tos_uri: ['https://app.example.com/terms'],
  initiate_login_uri: ['https://app.example.com/start'],
  jwks_uri: ['https://app.example.com/jwks.json'],
  jwks: [{ keys: [key] }],
  contacts: [[], ['a@example.com', 'b@example.com']],
  software_id: ['x'.repeat(255)],
};

/** Values of which a part is left out (RFC 7591 §3.2.1), and what is left. */
export const reduced: readonly (readonly [string, unknown, unknown])[] = [
  ['grant_types', ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'], ['authorization_code']],
  ['grant_types', ['refresh_token', 'refresh_token'], ['refresh_token']],
  ['response_types', ['code', 'code token', 'none'], ['code']],
  ['scope', 'openid offline_access email', 'openid email'],
];

const address = [
  1,
  null,
  {},
  'app.example.com',
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://a.example',
  'https://',
  `https://a.example/${'x'.repeat(2048)}`,
  'https://user:pass@a.example/',
  'https://a.example/\n',
  '//a.example',
];

/** Values that are refused. */
export const refused: Readonly<Record<string, readonly unknown[]>> = {
  registration_roles: [null, 'Staff', 7, [7], [['Staff']], ['x'.repeat(256)], ['Staff'], Array(101).fill('Staff')],
  client_name: [
    undefined,
    null,
    '',
    '   ',
    7,
    ['x'],
    {},
    'x'.repeat(256),
    'x'.repeat(10_240),
    'line\nbreak',
    'tab\t',
    'next\u0085line',
    'par\u2029agraph',
    ...bidiControls.map((control) => `gnp${control}exe`),
  ],
  application_type: ['desktop', 'WEB', '', 1, null, ['web']],
  token_endpoint_auth_method: ['private_key_jwt', 'client_secret_jwt', 'NONE', '', 5, null, ['none']],
  subject_type: ['ephemeral', 'PUBLIC', '', 1, null],
  grant_types: [
    [],
    ['device_code'],
    ['AUTHORIZATION_CODE'],
    'authorization_code',
    [1],
    null,
    {},
    Array(21).fill('refresh_token'),
  ],
  response_types: [[], ['token'], 'code', [null], {}],
  scope: ['', 'offline_access', 'OPENID', ['openid'], 1, 'x'.repeat(1025)],
  id_token_signed_response_alg: ['none', 'HS256', 'rs256', '', 1],
  post_logout_redirect_uris: [
    'https://a.example',
    [1],
    ['http://a.example/'],
    ['https://a.example/#x'],
    ['javascript:alert(1)'],
    Array(21).fill('https://a.example'),
  ],
  logo_uri: [...address, ...hostsThatAreNoSource.map((host) => `https://${host}/logo.png`)],
  login_url: address,
  client_uri: address,
  policy_uri: address,
  tos_uri: address,
  // OpenID Connect Registration §2: https only.
  initiate_login_uri: [
    ...address,
    'http://app.example.com/start',
    'HTTP://app.example.com/start',
    'http://localhost/start',
  ],
  jwks_uri: [...address, 'http://app.example.com/jwks.json'],
  jwks: [
    null,
    'x',
    [],
    {},
    { keys: [] },
    { keys: {} },
    { keys: [{}] },
    { keys: [1] },
    { keys: [{ kty: 1 }] },
    { keys: Array(11).fill(key) },
    { keys: [{ ...key, d: 'private' }] },
    { keys: [{ kty: 'oct', k: 'secret' }] },
    { keys: [{ ...key, x: 1 }] },
  ],
  contacts: ['a@example.com', [1], {}, Array(11).fill('a@example.com'), ['x'.repeat(255)]],
  software_id: [1, null, 'x'.repeat(256)],
};
