import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isSampled } from '../../support/sample.ts';
import { authorizePath, registerClient } from '../../support/sign-in.ts';
import { type AppOf, assertErrorPage } from './asking.ts';

const good = 'https://good.example/cb';
const query = 'https://good.example/cb?a=1';
const port = 'https://good.example:8443/cb';
const loopback = 'http://127.0.0.1:8080/cb';
const app = 'com.example.app:/cb';

/** R2 of docs/security.md: what once passed somewhere for a registered address. */
const variants: readonly string[] = [
  // Prefixes and suffixes.
  'https://good.example.evil.example/cb',
  'https://good.example.evil.example',
  'https://good.exampleevil/cb',
  'https://evilgood.example/cb',
  'https://evil.example/https://good.example/cb',
  'https://good.example/cb.evil',
  'https://good.example/cbx',
  'https://good.example/cb/',
  'https://good.example/cb/x',
  'https://good.example/cb//',
  'https://good.example/c',
  'https://good.example/',
  'https://good.example',
  'https://good.example/cb?',
  'https://good.example/cb?x=1',
  'https://good.example/cb?a=1&b=2',
  'https://good.example/cb?a=2',
  'https://good.example/cb?A=1',
  'https://good.example/cb?a=1#',
  'https://good.example/cb&a=1',
  'https://good.example/cb#',
  'https://good.example/cb#x',
  'https://good.example/cb;x',
  'https://good.example/cb%23',
  // Traversal and encodings.
  'https://good.example/cb/../cb',
  'https://good.example/cb/..',
  'https://good.example/./cb',
  'https://good.example/x/../cb',
  'https://good.example/%2e%2e/cb',
  'https://good.example/cb/%2e%2e/evil',
  'https://good.example/cb/%252e%252e/evil',
  'https://good.example/cb/..;/evil',
  'https://good.example/cb%2f..%2fevil',
  'https://good.example/cb%00',
  'https://good.example/%63b',
  'https://good.example/c%62',
  'https://good.example//cb',
  'https://good.example\\cb',
  'https://good.example/\\cb',
  'https:/good.example/cb',
  'https:good.example/cb',
  'https:///good.example/cb',
  'https:\\\\good.example\\cb',
  'https://good.example/cb ',
  ' https://good.example/cb',
  'https://good.example/cb\t',
  'https://good.example/c\nb',
  'https://good.example/cb%20',
  'https://good.example/cb+',
  // Authorities.
  'https://good.example@evil.example/cb',
  'https://evil.example@good.example/cb',
  'https://u:p@good.example/cb',
  'https://@good.example/cb',
  'https://good.example:443/cb',
  'https://good.example:80/cb',
  'https://good.example:/cb',
  'https://good.example:8444/cb',
  'https://good.example:8443@evil.example/cb',
  'https://evil.example\\@good.example/cb',
  'https://evil.example#@good.example/cb',
  'https://evil.example?@good.example/cb',
  'https://good.example%2eevil/cb',
  'https://good.example%00.evil/cb',
  'https://good.example./cb',
  'https://[::1]/cb',
  '//good.example/cb',
  // A pattern where a text is meant.
  'https://goodXexample/cb',
  'https://good.example/c.',
  'https://.*/cb',
  'https://*/cb',
  'https://*.example/cb',
  'https://sub.good.example/cb',
  'https://good-example/cb',
  // Case and loopback.
  'https://GOOD.example/cb',
  'HTTPS://good.example/cb',
  'https://good.example/CB',
  'Https://good.example/cb',
  'http://good.example/cb',
  'http://127.0.0.1:8080@evil.example/cb',
  'http://127.0.0.1:1@evil.example/cb',
  'http://127.0.0.1.evil.example/cb',
  'http://127.0.0.1:8080.evil.example/cb',
  'http://127.0.0.1:8080/cb/',
  'http://127.0.0.1:8080/evil',
  'http://localhost:8080/cb',
  'http://[::1]:8080/cb',
  'http://127.1:8080/cb',
  'http://0x7f000001:8080/cb',
  'http://2130706433/cb',
  'https://127.0.0.1:8080/cb',
  'http://127.0.0.2:8080/cb',
  // Schemes.
  'javascript:alert(1)',
  'javascript://good.example/cb',
  'data:text/html,x',
  'com.example.app:/cb2',
  'com.example.app://cb',
  'com.example.appx:/cb',
  'COM.EXAMPLE.APP:/cb',
  'com.example.app:/cb?x',
  'xcom.example.app:/cb',
  // Nothing that is compared at all.
  'https://evil.example/',
  'evil',
  '/cb',
  'cb',
  '*',
  'null',
  'undefined',
  'https://gοοd.example/cb',
];

/** R2: one against each of five registrations; the loopback port is free for native applications alone. */
export function redirectVariants(appOf: AppOf): void {
  it(`${variants.length} variants of five registered addresses are all refused on a page (R2)`, async () => {
    assert.ok(variants.length >= 100);
    const web = await registerClient(appOf(), { redirect_uris: [good, query, port, loopback] });
    const native = await registerClient(appOf(), {
      application_type: 'native',
      redirect_uris: [good, query, port, app],
      token_endpoint_auth_method: 'none',
    });
    for (const [index, uri] of variants.entries()) {
      // Each at one of the two by turns, and at both in a drill.
      for (const [at, client] of [web, native].entries()) {
        if (!isSampled(index + at, 2)) continue;
        const answer = await appOf().send('GET', authorizePath(client, { redirect_uri: uri }));
        assertErrorPage(answer);
      }
    }
  });

  it('the registered addresses themselves are accepted, character for character', async () => {
    const web = await registerClient(appOf(), { redirect_uris: [good, query, port, loopback] });
    for (const uri of [good, query, port, loopback]) {
      assert.equal((await appOf().send('GET', authorizePath(web, { redirect_uri: uri }))).status, 303, uri);
    }
  });

  it('http on loopback may have any port for a native application (RFC 8252 §7.3), but no other difference', async () => {
    const registered = ['http://127.0.0.1/cb', 'http://[::1]:1234/cb?a=1'];
    const native = await registerClient(appOf(), { application_type: 'native', redirect_uris: registered });
    const web = await registerClient(appOf(), { redirect_uris: registered });
    const status = async (client: { client_id: string }, uri: string) =>
      (await appOf().send('GET', authorizePath(client, { redirect_uri: uri }))).status;
    for (const uri of [
      'http://127.0.0.1:51004/cb',
      'http://127.0.0.1:80/cb',
      'http://[::1]:1/cb?a=1',
      'http://[::1]/cb?a=1',
    ]) {
      assert.equal(await status(native, uri), 303, uri);
      assert.equal(await status(web, uri), 400, uri);
    }
    for (const uri of [
      'http://127.0.0.1:51004/cb2',
      'http://localhost:51004/cb',
      'http://[::1]:1/cb',
      'http://127.0.0.1:x/cb',
      'http://127.0.0.1:123456/cb',
      'http://127.0.0.1:1@evil.example/cb',
      'https://127.0.0.1:51004/cb',
    ]) {
      assert.equal(await status(native, uri), 400, uri);
    }
  });
}
