import { type SmtpServer, tryMailServer } from '../adapters/mail.ts';
import type { Config } from '../config.ts';
import { degraded, type Finding, off, ok } from './finding.ts';

/** Errors by the transport's code, without the server's words, which may repeat the message. */
const faults: Readonly<Record<string, string>> = {
  EAUTH: 'does not accept the user and password',
  ETLS: 'offers no TLS, and messages are not sent over a network without it',
};

/** How messages to users are sent, and whether the configured server would accept one. */
export async function examineMail({ smtp, mailFolder }: Pick<Config, 'smtp' | 'mailFolder'>): Promise<Finding> {
  return smtp
    ? examineServer(smtp)
    : off(
        'mail',
        `no server: messages are written to files in ${mailFolder}`,
        'set SMTP_URL so that messages reach users',
      );
}

async function examineServer(smtp: SmtpServer): Promise<Finding> {
  const at = `${smtp.host}:${smtp.port}`;
  try {
    await tryMailServer(smtp);
    return ok('mail', `${at} answers${smtp.user === null ? '' : ' and accepts the password'}`);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    return degraded('mail', `${at} ${faults[String(code)] ?? 'does not answer'}`, 'check SMTP_URL and the mail server');
  }
}
