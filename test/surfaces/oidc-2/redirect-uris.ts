/** Redirect URIs that can and that cannot be registered. */

import { redirectUri } from './door.ts';

/** For every application type. */
export const web = [
  'https://app.example.com/callback',
  'https://app.example.com',
  'https://app.example.com:8443/callback?x=1&y=a%2Fb',
  'https://xn--bcher-kva.example/callback',
  'https://192.0.2.7/callback',
  // Another text than the lower-case one, and compared as such.
  'https://APP.example.com/',
  'http://localhost/callback',
  'http://localhost:3000/callback',
  'http://127.0.0.1:49152/callback',
  'http://[::1]:49152/callback',
  `https://app.example.com/${'x'.repeat(2048 - 'https://app.example.com/'.length)}`,
];

export const native = [
  'com.example.app:/callback',
  'com.example.app://callback',
  'msauth.com.example:/x?y=1',
  'http://127.0.0.1/',
  ...web,
];

/** For neither. */
export const never = [
  ...[
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'jAvAsCrIpT://x/%0aalert(1)',
    'java\nscript:alert(1)',
    'java\tscript:x',
  ],
  ...[
    'data:text/html,<script>',
    'DATA:text/html,x',
    'vbscript:x',
    'blob:https://app.example.com/1',
    'file:///etc/passwd',
  ],
  ...['about:blank', 'view-source:https://a.example', 'ftp://a.example/x', 'ws://a.example/', 'mailto:a@example.com'],
  ...[
    'https://user@app.example.com/',
    'https://user:pass@app.example.com/',
    'https://@app.example.com/',
    'http://127.0.0.1:1@evil.example/',
  ],
  ...['https://app.example.com/#', 'https://app.example.com/#fragment', 'https://app.example.com/cb#a=b'],
  ...['https://*.example.com/', 'https://app.example.com/*', 'https://app.example.com/cb?*'],
  ...[
    'http://app.example.com/callback',
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://evil.example/127.0.0.1',
  ],
  ...[
    'http://0.0.0.0/',
    'http://127.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://[::ffff:127.0.0.1]/',
    'http://10.0.0.1/',
  ],
  ...[
    'https://bücher.example/',
    'https://аpp.example.com/',
    'https://app.example.com/\u202egnp',
    'https://app.example.com/ä',
  ],
  ...[
    'https://app.example.com\\@evil.example/',
    'https:\\\\app.example.com',
    'https:/app.example.com',
    'https:app.example.com',
  ],
  ...[
    'https://',
    'https:///callback',
    'https://?x',
    'https://:443/',
    'https://app.example.com:99999/',
    'https://app example.com/',
  ],
  ...[
    '//app.example.com/',
    '/callback',
    'callback',
    '?x',
    'app.example.com',
    '',
    ' ',
    ` ${redirectUri}`,
    `${redirectUri} `,
  ],
  ...[
    'HTTPS://app.example.com/',
    'Https://app.example.com/',
    'https://app.example.com/\u0000',
    `${redirectUri}\r\nSet-Cookie: x=1`,
  ],
  ...[
    'https://app.example.com/"onload="x',
    'https://app.example.com/<b>',
    'https://app.example.com/{x}',
    'https://[::1',
    'a:b',
  ],
  `https://app.example.com/${'x'.repeat(3000)}`,
];
