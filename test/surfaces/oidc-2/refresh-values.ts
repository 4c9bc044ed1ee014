/** What the members of a refresh can be given that is refused. */

/** Values of grant_type that are not `refresh_token`, and how the answer repeats them (RFC 6749 §5.2: plain ASCII). */
export const grantTypes: readonly (readonly [string, string])[] = [
  ['authorization_code', 'authorization_code'],
  ['password', 'password'],
  ['client_credentials', 'client_credentials'],
  ['implicit', 'implicit'],
  ['urn:ietf:params:oauth:grant-type:token-exchange', 'urn:ietf:params:oauth:grant-type:token-exchange'],
  ['REFRESH_TOKEN', 'REFRESH_TOKEN'],
  ['refresh_token ', 'refresh_token '],
  [' refresh_token', ' refresh_token'],
  ['refresh_token,password', 'refresh_token,password'],
  ['<b>"x"</b>', "<b>'x'</b>"],
  ['back\\slash', 'back?slash'],
  ['größe', 'gr??e'],
  ['toString', 'toString'],
  ['__proto__', '__proto__'],
];

/** Authorization headers that are not `Basic` with base64 of `client_id:client_secret`. */
export const malformedHeaders = [
  ...[
    '',
    'Basic',
    'Basic ',
    'Basic !!!',
    'Basic a:b',
    'Basic =',
    'Basic ====',
    'basic',
    'Basicabc',
    'Bearer abc',
    'Digest username="x"',
  ],
  ...[
    'client_id:x, client_secret:y',
    'Negotiate YII=',
    `Basic ${Buffer.from('nocolon').toString('base64')}`,
    'Basic a b',
  ],
  ...[`Basic ${Buffer.from(':secret').toString('base64')}`, `Basic ${Buffer.from('a%zz:b').toString('base64')}`],
  ...[`Basic ${Buffer.from('a:%').toString('base64')}`, `Basic ${Buffer.from('a:b').toString('base64')}, Basic eDp5`],
];
