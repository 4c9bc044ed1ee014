import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../../src/domain/accounts/account.ts';
import { csrfToken, requireCsrf } from '../../../src/domain/login/authorization-request.ts';
import { answerError, answerWith, type ClientAnswer } from '../../../src/domain/login/redirect.ts';
import type { Services } from '../../../src/services.ts';
import type { ClientRecord } from '../../../src/store/clients.ts';

function locationOf(answer: ClientAnswer): string {
  assert.ok(answer.by === 'redirect');
  return answer.location;
}

const account = { baseUrl: 'https://one.gatehouse.example' } as Account;
// Nothing is signed here.
const [services, client] = [{} as Services, {} as ClientRecord];

test('the answer is appended to the registered URI, which stays unchanged', async () => {
  const at = async (redirectUri: string) =>
    locationOf(await answerWith(services, account, client, { redirectUri, state: null }, { code: 'c' }));
  const added = 'code=c&iss=https%3A%2F%2Fone.gatehouse.example';
  assert.equal(await at('https://a.example/cb'), `https://a.example/cb?${added}`);
  assert.equal(await at('https://a.example'), `https://a.example?${added}`);
  assert.equal(await at('https://a.example/cb?x=%2F&y'), `https://a.example/cb?x=%2F&y&${added}`);
  assert.equal(await at('com.example.app:/cb'), `com.example.app:/cb?${added}`);
});

test('state comes back as sent, and only when it was sent', async () => {
  const target = { redirectUri: 'https://a.example/cb', state: 'a b&c=d#é' };
  const denied = { error: 'access_denied', description: 'no' } as const;
  const query = new URL(locationOf(await answerError(services, account, client, target, denied))).searchParams;
  assert.deepEqual(Object.fromEntries(query), {
    error: 'access_denied',
    error_description: 'no',
    state: 'a b&c=d#é',
    iss: account.baseUrl,
  });
});

test('a form token is bound to one browser and one request', () => {
  const [secret, request] = ['s'.repeat(43), 'r'.repeat(43)];
  const browser = { browserSecret: secret, requestId: request, sessionSecret: undefined };
  const good = csrfToken(secret, request);
  assert.match(good, /^[\w-]{43}$/);
  requireCsrf(browser, good);
  const refused = { code: 'cross_site_request' };
  for (const sent of [
    undefined,
    '',
    'x',
    `${good}A`,
    good.toLowerCase(),
    csrfToken(secret, 'other'),
    csrfToken('other', request),
  ]) {
    assert.throws(() => requireCsrf(browser, sent), refused, sent);
  }
  assert.throws(
    () => requireCsrf({ ...browser, browserSecret: undefined }, csrfToken('', request)),
    refused,
    'no cookie',
  );
  assert.throws(() => requireCsrf({ ...browser, browserSecret: '' }, csrfToken('', request)), refused);
});
