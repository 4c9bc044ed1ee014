import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import { failurePage, failurePageHeaders } from '../../src/pages/failure-page.ts';
import { errorPage, refusalPage } from '../../src/pages/views.ts';

describe('refusals and errors', () => {
  it('name the state of the user', () => {
    const about = { accountName: 'Northwind', appName: 'Expense Desk', requestId: 'r-1' };
    assert.match(refusalPage({ ...about, reason: 'user_locked' }), /<h1>Your account is locked<\/h1>/);
    assert.match(refusalPage({ ...about, reason: 'user_suspended' }), /<h1>Your account is suspended<\/h1>/);
    assert.match(refusalPage({ ...about, reason: 'access_not_assigned' }), /<bdi class="strong">Expense Desk<\/bdi>\./);
    assert.match(refusalPage({ ...about, reason: 'user_inactive' }), /<h1>Your account is not active<\/h1>/);
  });

  it('carry the reference and, for errors, the status', () => {
    const html = errorPage({ title: 'Nothing here', message: 'No page.', requestId: 'r-1', status: 404 });
    assert.match(html, /<code>r-1<\/code>/);
    assert.match(html, /<dd>404<\/dd>/);
    assert.match(html, /<bdi>Gatehouse<\/bdi>/);
  });

  it('say how long to wait where a limit is for longer than a minute', () => {
    const pageAfter = (retryAfterSeconds: number) =>
      failurePage(429, new Failure('rate_limited', { retryAfterSeconds }), {
        requestId: 'r-1',
        account: null,
        operation: null,
      });
    assert.match(pageAfter(60), /Wait a minute, then try again\./);
    assert.match(pageAfter(3_130), /Try again in 53 minutes\./);
  });

  it('load nothing on unknown hosts, where nothing is served', () => {
    const error = { title: 'Nothing here', message: 'No page.', requestId: 'r-1', status: 404 };
    assert.match(errorPage({ ...error, accountName: 'Northwind' }), /\/assets\/styles\.css/);
    const html = errorPage(error);
    assert.doesNotMatch(html, /(?:href|src)=|url\(/);
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(html) ?? [];
    const digest = createHash('sha256').update(style).digest('base64');
    const policy = failurePageHeaders({ account: null })['content-security-policy'];
    assert.ok(policy?.includes(`; style-src 'sha256-${digest}';`), policy);
  });
});
