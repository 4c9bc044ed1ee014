/** Messages over SMTP and into a folder, as their recipient sees them. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { createMailer, type SmtpServer } from '../../src/adapters/mail.ts';

const mail = {
  to: 'ada@example.com',
  subject: 'Choose a new password – Ünïted "Traders"',
  text: 'https://demo.example.com/password/reset?token=pr_x\n',
  html: '<p>Hello</p>',
};
const from = 'Gatehouse <no-reply@example.com>';

/** A message without the encoding of its transport. */
function decoded(message: string): string {
  const bytes = message
    .replace(/=\r?\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

describe('a mail server', () => {
  const received: {
    readonly from: string;
    readonly to: readonly string[];
    readonly user: string;
    readonly text: string;
  }[] = [];
  let server: SMTPServer;
  let smtp: SmtpServer;

  before(async () => {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        password === 'sësame' ? done(null, { user: username ?? '' }) : done(new Error('no')),
      onData: async (stream, { envelope, user }, done) => {
        let text = '';
        for await (const chunk of stream) text += chunk;
        const sender = envelope.mailFrom ? envelope.mailFrom.address : '';
        received.push({
          from: sender,
          to: envelope.rcptTo.map(({ address }) => address),
          user: String(user ?? ''),
          text,
        });
        done();
      },
    });
    server.on('error', () => {});
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    const { port } = server.server.address() as AddressInfo;
    smtp = { host: '127.0.0.1', port, secure: false, user: null, password: null, isLocal: true };
  });
  after(() => new Promise<void>((done) => server.close(done)));

  const send = (server: SmtpServer, one = mail) => createMailer({ smtp: server, from, folder: '/nowhere' }).send(one);

  test('receives the message, with text and HTML, for one address', async () => {
    await send(smtp);
    const message = received.at(-1);
    assert.deepEqual([message?.from, message?.to], ['no-reply@example.com', ['ada@example.com']]);
    const text = decoded(message?.text ?? '');
    for (const part of [mail.text.trim(), mail.html, 'Auto-Submitted: auto-generated', 'multipart/alternative'])
      assert.ok(text.includes(part), part);
    assert.match(message?.text ?? '', /^Subject: =\?UTF-8\?/m);
  });

  test('an address that looks like a list is one address, or invalid', async () => {
    const before = received.length;
    await send(smtp, { ...mail, to: 'ada@example.com, eve@example.com' }).catch(() => {});
    for (const { to } of received.slice(before)) assert.ok(!to.includes('eve@example.com'));
  });

  test('receives user and password', async () => {
    await send({ ...smtp, user: 'gatehouse', password: 'sësame' });
    assert.equal(received.at(-1)?.user, 'gatehouse');
    await assert.rejects(send({ ...smtp, user: 'gatehouse', password: 'wrong' }), { code: 'EAUTH' });
  });

  test('a remote server gets nothing without TLS', async () => {
    const before = received.length;
    await assert.rejects(send({ ...smtp, isLocal: false }));
    assert.equal(received.length, before);
  });

  test('without a listener, sending fails at once', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    await assert.rejects(send({ ...smtp, port }));
  });
});

test('without a server each message becomes a file that only its owner can read', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-mail-'));
  try {
    const folder = join(parent, 'mail');
    const mailer = createMailer({ smtp: null, from, folder });
    await Promise.all([mailer.send(mail), mailer.send({ ...mail, to: 'eve@example.com' })]);
    const files = readdirSync(folder).map((name) => join(folder, name));
    assert.equal(files.length, 2);
    const texts = files.map((file) => readFileSync(file, 'utf8'));
    for (const text of texts) {
      const parts = [mail.text.trim(), mail.html, `From: ${from}\n`, `Subject: ${mail.subject}\n`];
      for (const part of parts) assert.ok(text.includes(part), part);
    }
    assert.equal(texts.filter((text) => text.includes('To: eve@example.com')).length, 1);
    for (const file of files) assert.equal(statSync(file).mode & 0o777, 0o600);
  } finally {
    rmSync(parent, { recursive: true });
  }
});
