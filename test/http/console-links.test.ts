import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leadsToScreen } from '../../src/console/routing/links.ts';

const here = 'https://acme.id.example.com';

test('the console follows links to its screens, and leaves others and the skip link to the browser', () => {
  const leads = (href: string) => leadsToScreen(new URL(href, `${here}/console/users?q=a`), here);
  for (const href of ['/console', '/console/users/1', '?status=3', '/console/users?cursor=x']) {
    assert.equal(leads(href), true, href);
  }
  for (const href of ['#main', '/console/users#main', '/sign-out', '/consoles', 'https://other.example/console']) {
    assert.equal(leads(href), false, href);
  }
});
