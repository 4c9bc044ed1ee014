import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Account } from '../../../src/domain/accounts/account.ts';
import type { Mail, Mailer } from '../../../src/domain/mail.ts';
import { type TellServices, tellUser } from '../../../src/domain/own-account/tell-user.ts';

const account = { name: 'A & <B>', subdomain: 'one', baseUrl: 'https://one.gatehouse.example' } as Account;

/** What goes out, and what the log says. */
function services(send: Mailer['send']) {
  const warned: unknown[] = [];
  const log = { warn: (message: string, fields: unknown) => warned.push([message, fields]) };
  return { warned, given: { clock: { now: () => 0 }, mailer: { send }, log } as unknown as TellServices };
}

test('a message that cannot be sent, or takes for ever, holds nobody up; the log repeats nothing of it', async () => {
  const broken = Object.assign(new Error('550 ada@example.com is unknown'), { code: 'EENVELOPE' });
  const { warned, given } = services(() => Promise.reject(broken));
  assert.equal(tellUser(given, account, { email: 'ada@example.com' }, 'password'), undefined);
  await setImmediate();
  assert.deepEqual(warned, [['mail not sent', { account: 'one', reason: 'EENVELOPE' }]]);
  tellUser(services(() => new Promise(() => {})).given, account, { email: 'ada@example.com' }, 'password');
});

test('who has no address is told nothing; names are text', async () => {
  const sent: Mail[] = [];
  const { given } = services(async (mail) => void sent.push(mail));
  tellUser(given, account, { email: null }, 'passkey_added');
  tellUser(given, account, { email: 'ada@example.com' }, 'passkey_added');
  assert.deepEqual(
    sent.map(({ to, subject }) => [to, subject]),
    [['ada@example.com', 'A passkey was added – A & <B>']],
  );
  assert.match(sent[0]?.text ?? '', /^A passkey was added for ada@example.com at A & <B>, on 1970-01-01 00:00 UTC\.\n/);
  assert.ok(sent[0]?.html.includes('at A &amp; &lt;B&gt;, on'));
});
