import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { consentPage, signInPage } from '../../src/pages/views.ts';
import { readSeed } from '../properties/seed.ts';
import { attribute, inputNamed, tagNames, tags, tagsOf } from './html.ts';
import { allPages, awkwardNames, passkeyOptions, plainNames } from './samples.ts';

for (const [kind, names] of Object.entries({ plain: plainNames, awkward: awkwardNames })) {
  for (const [name, html] of allPages(names)) {
    describe(`page ${name}, ${kind} names`, () => {
      it('contains no inline script, no inline style and no handler', () => {
        // Where no account answers on the host there is no style sheet, and the page carries it.
        assert.equal(tagsOf(html, 'style').length, name === 'error-no-account' ? 1 : 0);
        for (const tag of tags(html)) {
          // A file of this host alone, and nothing between its tags.
          const script = /^<script type="module" src="\/assets\/(passkeys|send-form)\.js\?v=[\da-f]{16}">$/;
          if (!script.test(tag)) assert.doesNotMatch(tag, /^<(script|iframe|object|embed|base|template)\b/i);
          assert.doesNotMatch(tag, /\s(style|on[a-z]+|srcdoc|formaction)\s*=/i);
          assert.match(
            attribute(tag, 'href') ?? '/assets/',
            /^(https:\/\/|\/assets\/|\/continue\?|\/account\b|\/oauth2\/logout$|\/forgot-password\b|\/sign-in\?|otpauth:\/\/totp\/|com\.example\.notes:)/,
          );
          assert.match(attribute(tag, 'src') ?? '/assets/', /^\/assets\//);
        }
      });

      it('is one document with a language, a title, one heading and the landmarks', () => {
        assert.match(html, /^<!doctype html>\n<html lang="en">/);
        assert.match(html, /<title>[^<]+<\/title>/);
        for (const single of ['h1', 'header', 'main', 'footer', 'title']) {
          assert.equal(html.split(new RegExp(`<${single}[ >]`)).length, 2, `one ${single}`);
        }
        assert.doesNotMatch(html, /undefined|null|\[object/);
      });

      it('labels every field and repeats no id', () => {
        const ids = tags(html).flatMap((tag) => attribute(tag, 'id') ?? []);
        assert.equal(new Set(ids).size, ids.length);
        const labelled = tagsOf(html, 'label').map((tag) => attribute(tag, 'for'));
        for (const input of tagsOf(html, 'input')) {
          if (attribute(input, 'type') === 'hidden') continue;
          assert.ok(labelled.includes(attribute(input, 'id')), input);
        }
        for (const described of tags(html).flatMap((tag) => attribute(tag, 'aria-describedby')?.split(' ') ?? [])) {
          assert.ok(ids.includes(described));
        }
      });
    });
  }
}

const signIn = {
  accountName: 'Northwind',
  appName: 'Expense Desk',
  csrf: 'token"1',
  request: 'request-1',
  username: '',
  action: '/sign-in',
  passkeyOptions,
  passkeyAction: '/sign-in/passkey',
};

const consent = {
  isUnchecked: false,
  accountName: 'Northwind',
  appName: 'Expense Desk',
  redirectHost: 'expenses.example.com',
  userName: 'Ada',
  userEmail: 'ada@northwind.example',
  scopes: [{ name: 'email', title: 'See your e-mail address', description: 'The one we have for you.' }],
  csrf: 'token-1',
  shown: 'mark-1',
  request: 'request-1',
  action: '/consent',
};

describe('names on the pages', () => {
  it('cannot change the structure of a page', () => {
    const structure = [...allPages({ ...plainNames }).values()].map(tagNames);
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 255 });
    const markup = fc.constantFrom(
      '<script>alert(1)</script>',
      '"><img src=x onerror=a>',
      "' autofocus x='",
      '<!--',
      '&lt;',
    );
    const name = fc.oneof(text, markup);
    fc.assert(
      fc.property(name, name, name, name, (account, app, user, scope) => {
        const pages = allPages({ account, app, user, email: plainNames.email, scope });
        assert.deepEqual([...pages.values()].map(tagNames), structure);
      }),
      { seed: readSeed(), numRuns: 100 },
    );
  });

  it('are escaped in text and in attributes', () => {
    const html = signInPage({ ...signIn, appName: '<script>alert("1")</script>', username: `"><b x='` });
    assert.match(html, /&lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt;/);
    assert.equal(attribute(inputNamed(html, 'username'), 'value'), '&quot;&gt;&lt;b x=&#39;');
    assert.equal(attribute(inputNamed(html, 'csrf'), 'value'), 'token&quot;1');
  });

  it('are isolated, so that a bidi override stays inside', () => {
    const html = consentPage({ ...consent, appName: '\u2069\u202Ekool', userName: '\u202Eada' });
    assert.match(html, /<bdi>\u202Ekool<\/bdi>/);
    assert.match(html, /<bdi class="strong">\u202Eada<\/bdi>/);
    assert.match(html, /<title>Allow \u2068\u202Ekool\u2069\? – \u2068Northwind\u2069<\/title>/);
  });
});
