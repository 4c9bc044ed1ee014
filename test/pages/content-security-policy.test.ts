import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentSecurityPolicy } from '../../src/pages/content-security-policy.ts';
import { hostsThatAreNoSource } from '../support/hosts.ts';

function formAction(redirectUri?: string): string | undefined {
  return /(?:^|; )form-action ([^;]*)/.exec(contentSecurityPolicy({ redirectUri }))?.[1];
}

describe('contentSecurityPolicy', () => {
  it('allows style sheets and images from this host and nothing else', () => {
    assert.equal(
      contentSecurityPolicy(),
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
  });

  it('allows forms to redirect to the client', () => {
    assert.equal(formAction('https://client.example.com/callback'), "'self' https:");
    assert.equal(formAction('http://[::1]:4000/callback'), "'self' http:");
    assert.equal(formAction('com.example.app:/callback'), "'self' com.example.app:");
  });

  it('allows the logo from its own origin only', () => {
    const images = (logoUri: string) => /(?:^|; )img-src ([^;]*)/.exec(contentSecurityPolicy({ logoUri }))?.[1];
    assert.equal(images('https://cdn.example.com/logo.png?x=1;%20script-src%20*'), "'self' https://cdn.example.com");
    assert.equal(images('http://127.0.0.1:4000/logo.svg'), "'self' http://127.0.0.1:4000");
    assert.equal(images('not an address'), "'self'");
    assert.equal(images('https://cdn.example.com:8443/logo.png'), "'self' https://cdn.example.com:8443");
    assert.equal(images('https://xn--bcher-kva.example/a.png'), "'self' https://xn--bcher-kva.example");
  });

  it('accepts plain hosts as sources; anything else leaves the policy unchanged', () => {
    for (const host of hostsThatAreNoSource) {
      assert.equal(contentSecurityPolicy({ logoUri: `https://${host}/logo.png` }), contentSecurityPolicy(), host);
    }
  });

  it('uses only the scheme of a private-use redirect URI', () => {
    assert.equal(formAction("x; script-src 'unsafe-inline'; y:/"), "'self'");
    assert.equal(formAction('/callback'), "'self'");
    assert.equal(formAction('https:; script-src *'), "'self' https:");
  });
});
