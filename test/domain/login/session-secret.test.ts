import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { namedSession, newSessionSecret } from '../../../src/domain/login/session-secret.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
before(async () => {
  app = await openTestApp('sqlite');
});
after(() => app.dispose());

const session = { userId: 7, sid: 'abc', expiresAt: 1_800_000_000_000 };

test('a session secret names its session in its account only, and no two are equal', async () => {
  const { services, account } = app;
  const text = newSessionSecret(services, account, session);
  assert.deepEqual(namedSession(services, account, text), session);
  assert.notEqual(newSessionSecret(services, account, session), text);
  assert.ok(!text.includes(session.sid));
  const other = await app.another();
  assert.equal(namedSession(services, other.account, text), null);
});

test('any other text names none: changed, truncated, extended, of another kind, of an older release', () => {
  const { services, account } = app;
  const text = newSessionSecret(services, account, session);
  const secret = text.slice(0, 43);
  const elsewhere = services.vault.seal(account.record, 'sign_outs|request', Buffer.from('[7,"abc",1]'));
  const changed = `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`;
  for (const wrong of ['', secret, `${secret}.`, changed, text.slice(0, -1), `${text}A`, `${secret}.${elsewhere}`]) {
    assert.equal(namedSession(services, account, wrong), null, wrong);
  }
  assert.equal(namedSession(services, account, `${text}${'A'.repeat(8_000)}`), null);
});
