import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { consentPage } from '../../src/pages/views.ts';
import { attribute, inputNamed, tagsOf } from './html.ts';

const consent = {
  accountName: 'Northwind',
  appName: 'Expense Desk',
  redirectHost: 'expenses.example.com',
  userName: 'Ada',
  userEmail: 'ada@northwind.example',
  scopes: [{ name: 'email', title: 'See your e-mail address', description: 'The one we have for you.' }],
  csrf: 'token-1',
  isUnchecked: false,
  shown: 'mark-1',
  request: 'request-1',
  action: '/consent',
};

describe('consent page', () => {
  it('offers allow, then deny, in one form', () => {
    const html = consentPage(consent);
    assert.equal(tagsOf(html, 'form').length, 1);
    const buttons = tagsOf(html, 'button');
    assert.deepEqual(
      buttons.map((tag) => [attribute(tag, 'type'), attribute(tag, 'name'), attribute(tag, 'value')]),
      [
        ['submit', 'decision', 'allow'],
        ['submit', 'decision', 'deny'],
      ],
    );
    assert.equal(attribute(inputNamed(html, 'csrf'), 'value'), 'token-1');
    assert.equal(attribute(inputNamed(html, 'shown'), 'value'), 'mark-1');
  });

  it('shows the application, the scopes, the user and the target of the answer', () => {
    const html = consentPage(consent);
    for (const text of [
      'Expense Desk',
      'See your e-mail address',
      'The one we have for you.',
      'ada@northwind.example',
    ]) {
      assert.ok(html.includes(`>${text}</bdi>`), text);
    }
    assert.match(html, /go back to <bdi class="strong">expenses\.example\.com<\/bdi>/);
  });

  it('names who else may act for the user, ten of them, and nobody where there is nobody', () => {
    const told = (mayAct: readonly string[]) =>
      /passed on to these[^:]*: (.*?)<\/p>/.exec(consentPage({ ...consent, mayAct }))?.[1];
    assert.equal(told([]), undefined);
    assert.equal(told(['A', '<b>']), '<bdi class="strong">A</bdi>, <bdi class="strong">&lt;b&gt;</bdi>.');
    const many = told(Array.from({ length: 11 }, (_, index) => `Agent ${index}`)) ?? '';
    assert.match(many, /Agent 9<\/bdi>, and others\.$/);
    assert.doesNotMatch(many, /Agent 10/);
  });

  it('links only to web addresses', () => {
    const policyUri = 'https://expenses.example.com/privacy?a=1&b="2"';
    const html = consentPage({ ...consent, clientUri: 'javascript:alert(1)', policyUri, tosUri: 'data:text/html,x' });
    const links = tagsOf(html, 'a');
    assert.deepEqual(
      links.map((tag) => attribute(tag, 'href')),
      ['https://expenses.example.com/privacy?a=1&amp;b=%222%22'],
    );
    for (const tag of links) assert.equal(attribute(tag, 'rel'), 'noopener noreferrer nofollow');
  });

  it('names a scope without a title, and says so when nothing is requested', () => {
    const scopes = [{ name: 'reports:read', title: '', description: '' }];
    assert.match(consentPage({ ...consent, scopes }), /<bdi>reports:read<\/bdi>/);
    assert.match(consentPage({ ...consent, scopes: [] }), /Only to know that you signed in/);
  });
});
