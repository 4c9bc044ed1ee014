import { type SmtpServer, tryMailServer } from '../adapters/mail.ts';
import type { Config } from '../config.ts';
import { degraded, type Finding, off, ok } from './finding.ts';

/** What went wrong by the transport's code; never in the server's words, which may repeat what was sent. */
const faults: Readonly<Record<string, string>> = {
  EAUTH: 'does not accept the user and password',
  ETLS: 'offers no TLS, and messages are not sent over a network without it',
};

/** Which way messages to users go, and whether the server that is set would take one. */
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
