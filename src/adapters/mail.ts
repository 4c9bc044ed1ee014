/** Messages to users: over SMTP, or as files of a folder where no server is named. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Mail, Mailer } from '../domain/mail.ts';
import { createPrivateFile } from './private-file.ts';

/** A mail server, from its URL. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; else it begins with STARTTLS where the server offers that. */
  readonly secure: boolean;
  readonly user: string | null;
  readonly password: string | null;
  /** Whether only this machine can reach it. */
  readonly isLocal: boolean;
}

export interface MailOptions {
  /** Null: into the folder. */
  readonly smtp: SmtpServer | null;
  readonly from: string;
  readonly folder: string;
}

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 10_000 };

/** Nothing in a message names a file or an address to be read from. */
const closed = { disableFileAccess: true, disableUrlAccess: true };

export function createMailer({ smtp, from, folder }: MailOptions): Mailer {
  return smtp ? overSmtp(smtp, from) : intoFolder(folder, from);
}

function overSmtp({ host, port, secure, user, password, isLocal }: SmtpServer, from: string): Mailer {
  const transport = createTransport(
    {
      ...{ host, port, secure, ...timeouts, ...closed },
      // No password and no message over a network in the clear.
      requireTLS: !secure && !isLocal,
      ...(user !== null && { auth: { user, pass: password ?? '' } }),
    },
    { from },
  );
  return { send: async (mail) => void (await transport.sendMail(headed(mail))) };
}

/** One file for each message, mode 0600, by the time it was written. */
function intoFolder(folder: string, from: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix', ...closed }, { from });
  return {
    send: async (mail) => {
      const { message } = await transport.sendMail(headed(mail));
      const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomBytes(4).toString('hex')}.eml`;
      createPrivateFile(join(folder, name), message.toString());
    },
  };
}

/** RFC 3834 §5: nobody's absence is told to a machine. The address stands alone: nothing in it is a list. */
function headed({ to, subject, text, html }: Mail) {
  return { to: { name: '', address: to }, subject, text, html, headers: { 'auto-submitted': 'auto-generated' } };
}
