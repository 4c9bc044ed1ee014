/** Sends messages to users: over SMTP, or into files of a folder if no server is configured. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Transporter } from 'nodemailer';
import type { Mail, Mailer } from '../domain/mail.ts';
import { createPrivateFile } from './private-file.ts';

/** A mail server, from its URL. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS if the server offers it. */
  readonly secure: boolean;
  readonly user: string | null;
  readonly password: string | null;
  /** Whether only this machine can reach it. */
  readonly isLocal: boolean;
}

interface MailOptions {
  /** Null: into the folder. */
  readonly smtp: SmtpServer | null;
  readonly from: string;
  readonly folder: string;
}

/** RFC 3834 §5: no automatic replies to automatic messages. */
const automatic = 'auto-generated';

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 10_000 };

/** A message cannot refer to a file or an address to read from. */
const closed = { disableFileAccess: true, disableUrlAccess: true };

export function createMailer({ smtp, from, folder }: MailOptions): Mailer {
  return smtp ? overSmtp(smtp, from) : intoFolder(folder, from);
}

/**
 * Greets the mail server as for a message, including TLS and password, without sending one. Rejects when it would not
 * accept one.
 */
export async function tryMailServer(smtp: SmtpServer): Promise<void> {
  await (await transportTo(smtp, '')).verify();
}

function overSmtp(smtp: SmtpServer, from: string): Mailer {
  let transport: Promise<Transporter> | undefined;
  return {
    send: async (mail) => {
      transport ??= transportTo(smtp, from);
      await (await transport).sendMail(headed(mail));
    },
  };
}

/** The package is loaded for the first message: most processes send none. */
async function transportTo({ host, port, secure, user, password, isLocal }: SmtpServer, from: string) {
  const { createTransport } = await import('nodemailer');
  return createTransport(
    {
      ...{ host, port, secure, ...timeouts, ...closed },
      // No password and no message in plain text over a network.
      requireTLS: !secure && !isLocal,
      ...(user !== null && { auth: { user, pass: password ?? '' } }),
    },
    { from },
  );
}

/**
 * One file for each message, mode 0600, named by its time. Its contents are not encoded (RFC 6532), so that a link can
 * be copied without a mail program.
 */
function intoFolder(folder: string, from: string): Mailer {
  return {
    send: async (mail) => {
      const now = new Date();
      const unique = randomBytes(4).toString('hex');
      const name = `${now.toISOString().replaceAll(':', '-')}-${unique}.eml`;
      createPrivateFile(join(folder, name), plainMessage(mail, from, now, `part-${unique}`));
    },
  };
}

function plainMessage({ to, subject, text, html }: Mail, from: string, now: Date, boundary: string): string {
  const header = (name: string, value: string) => `${name}: ${value.replace(/\p{Cc}+/gu, ' ')}`;
  const part = (type: string, content: string) => [
    `--${boundary}`,
    `Content-Type: ${type}; charset=utf-8`,
    'Content-Transfer-Encoding: 8bit',
    '',
    content,
  ];
  return [
    header('Date', now.toUTCString().replace('GMT', '+0000')),
    header('From', from),
    header('To', to),
    header('Subject', subject),
    header('Auto-Submitted', automatic),
    header('MIME-Version', '1.0'),
    header('Content-Type', `multipart/alternative; boundary="${boundary}"`),
    '',
    ...part('text/plain', text),
    ...part('text/html', html),
    `--${boundary}--`,
    '',
  ].join('\n');
}

/** A single address, never parsed as a list. */
function headed({ to, subject, text, html }: Mail) {
  return { to: { name: '', address: to }, subject, text, html, headers: { 'auto-submitted': automatic } };
}
