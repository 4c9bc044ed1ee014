import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signInPage } from '../../src/pages/views.ts';
import { attribute, inputNamed } from './html.ts';
import { passkeyOptions } from './samples.ts';

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

describe('sign-in page', () => {
  it('sends back what it was given and never a password', () => {
    const html = signInPage({ ...signIn, username: 'ada', problem: 'wrong' });
    assert.match(html, /<form method="post" action="\/sign-in"/);
    assert.equal(attribute(inputNamed(html, 'request'), 'value'), 'request-1');
    assert.equal(attribute(inputNamed(html, 'username'), 'value'), 'ada');
    assert.equal(attribute(inputNamed(html, 'username'), 'type'), 'text');
    assert.equal(attribute(inputNamed(html, 'username'), 'autocomplete'), 'username webauthn');
    assert.equal(attribute(inputNamed(html, 'password'), 'autocomplete'), 'current-password');
    assert.equal(attribute(inputNamed(html, 'password'), 'value'), undefined);
  });

  it('shows the logo instead of the initial', () => {
    const html = signInPage({ ...signIn, logoUri: 'https://cdn.example.com/"logo".png' });
    assert.match(html, /<img class="tile logo" src="https:\/\/cdn\.example\.com\/%22logo%22\.png" alt=""/);
    assert.doesNotMatch(html, /tile-\d/);
    assert.doesNotMatch(signInPage({ ...signIn, logoUri: 'javascript:alert(1)' }), /<img class="tile/);
  });

  it('puts the focus on the field to fill', () => {
    assert.match(inputNamed(signInPage(signIn), 'username'), / autofocus>/);
    const again = signInPage({ ...signIn, username: 'ada', problem: 'wrong' });
    assert.doesNotMatch(inputNamed(again, 'username'), /autofocus/);
    assert.match(inputNamed(again, 'password'), / autofocus>/);
  });

  it('announces errors to screen readers', () => {
    assert.doesNotMatch(signInPage(signIn), /role="alert"|aria-invalid/);
    for (const problem of ['wrong', 'missing'] as const) {
      const html = signInPage({ ...signIn, problem });
      assert.match(html, /id="problem" role="alert"/);
      assert.match(html, /<title>Problem: /);
      for (const field of ['username', 'password']) {
        assert.match(inputNamed(html, field), / aria-invalid="true" aria-describedby="problem"/);
      }
    }
  });
});
