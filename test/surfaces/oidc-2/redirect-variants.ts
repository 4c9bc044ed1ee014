/** What a redirect URI can be turned into so that a lax comparison takes it for the registered one (R2). */

/** Of clients registered at this door, with the variants that are theirs by rule and not by letter. */
export const registrations = {
  'a web address': {
    metadata: { redirect_uris: ['https://app.example.com/callback'] },
    free: [],
  },
  'web addresses with a query and a dot': {
    metadata: { redirect_uris: ['https://app.example.com/callback?mode=1', 'https://app.example.com/cb.html'] },
    free: [],
  },
  'a loopback address of a web application': {
    metadata: { redirect_uris: ['http://127.0.0.1:8080/callback'] },
    free: [],
  },
  'loopback addresses of a native application': {
    metadata: {
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]:8080/callback?x=1', 'http://localhost:5000/callback'],
    },
    // RFC 8252 §7.3: the port is free, and nothing else.
    free: [
      'http://127.0.0.1:8080/callback',
      'http://127.0.0.1:1/callback',
      'http://127.0.0.1:65535/callback',
      'http://[::1]/callback?x=1',
      'http://[::1]:49152/callback?x=1',
      'http://localhost/callback',
      'http://localhost:8080/callback',
    ],
  },
  'a private-use scheme and a web address of a native application': {
    metadata: {
      application_type: 'native',
      redirect_uris: ['com.example.app:/callback', 'https://app.example.com/callback'],
    },
    free: [],
  },
} as const;

const web = 'https://app.example.com/callback';

/** Without white space, one list for each kind (R2 of docs/security.md). */
const written = `
${web}/ ${web}2 ${web}/.. ${web}/x ${web}.evil.example ${web}@evil.example https://app.example.com/callbac
https://app.example.com.evil.example/callback https://app.example.com@evil.example/callback https://evil.example/callback
https://evilapp.example.com/callback https://evil.app.example.com/callback https://example.com/callback
https://evil.example/https://app.example.com/callback https://evil.example?https://app.example.com/callback

https://app.example.com/x/../callback https://app.example.com/./callback https://app.example.com//callback
https://app.example.com/x/%2e%2e/callback https://app.example.com/%2e/callback https://app.example.com/callback/%2e%2e/x
https://app.example.com/callback/%252e%252e/x https://app.example.com/callback/..;/x https://app.example.com/callback;x=1
https://app.example.com/%63allback https://app.example.com/callback%2f https://app.example.com/callback%00 ${web}%20
https://app.example.com\\callback https:/app.example.com/callback https:app.example.com/callback https:///app.example.com/callback

https://user@app.example.com/callback https://app.example.com:443/callback https://app.example.com:8443/callback
https://app.example.com:@evil.example/callback https://evil.example\\@app.example.com/callback
https://app.example.com\\@evil.example/callback http://127.0.0.1:1@evil.example/callback
http://127.0.0.1:8080@evil.example/callback http://127.0.0.1@evil.example/callback http://user@127.0.0.1/callback
http://localhost:8080@evil.example/callback http://localhost@evil.example:80/callback

https://appXexample.com/callback https://app.exampleXcom/callback https://app.example.com/cbXhtml https://app.example.com/cb.htmlx

HTTPS://app.example.com/callback https://APP.example.com/callback https://app.example.com/Callback http://app.example.com/callback
http://127.0.0.1.evil.example/callback http://127.0.0.1:8080.evil.example/callback http://localhost.evil.example/callback
http://127.0.0.2/callback http://127.1/callback http://0.0.0.0/callback http://[::]/callback http://2130706433/callback
http://0x7f.0.0.1/callback http://[::ffff:127.0.0.1]/callback http://[0:0:0:0:0:0:0:1]/callback?x=1 http://LOCALHOST/callback
https://127.0.0.1/callback http://127.0.0.1:/callback http://127.0.0.1:080808/callback http://127.0.0.1:x/callback
http://127.0.0.1:-1/callback http://127.0.0.1:8080:8081/callback http://127.0.0.1/callback/ http://127.0.0.1/ http://127.0.0.1
http://127.0.0.1/callback?x=1 http://[::1]/callback http://[::1]:8080/callback?x=2 http://[::1]:8080/callback?x=1&y=2
http://localhost./callback http://127.0.0.1/callback# //127.0.0.1/callback http://127.0.0.1\\callback

javascript:alert(1) javascript://app.example.com/callback%0aalert(1) data:text/html,x com.example.app:/callback/
com.example.app://callback com.example.app:callback com.example.app:/Callback COM.example.app:/callback
com.example.apps:/callback com.example.app:/callback?x=1 com.example.app:/callback#x com.example.app:///callback com.example.app:

${web}? ${web}?x=1 ${web}?mode=1&x=2 ${web}?mode=2 ${web}?Mode=1 ${web}?mode=1# ${web}# ${web}#x
${web},https://evil.example/ ${web}|https://evil.example/ "${web}" <${web}> ${web}${'\u200b'} /callback //app.example.com/callback
https://аpp.example.com/callback https://app。example.com/callback https://app.example.com／callback
* .* null undefined ${web}?${'x'.repeat(1500)}
`;

/** R2 of docs/security.md. Each is sent to every client. */
export const variants: readonly string[] = [
  ...Object.values(registrations).flatMap(({ metadata, free }) => [...metadata.redirect_uris, ...free]),
  ...written.trim().split(/[ \n]+/),
  ...[
    '',
    ' ',
    ` ${web}`,
    `${web} `,
    `${web}\n`,
    `${web}\r\nLocation: https://evil.example`,
    `\t${web}`,
    `${web}\u0000`,
  ],
  ...[`${web} https://evil.example/`, '[object Object]'],
];
