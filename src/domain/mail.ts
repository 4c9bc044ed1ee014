/** Messages to users: the interface to the mail sender, and how messages are written. */

import type { Services } from '../services.ts';
import type { Account } from './accounts/account.ts';
import { minute, second } from './durations.ts';

/** Pauses after each failed attempt; what becomes of a message after the last one depends on what it says. */
export const mailPauses = [10 * second, minute, 5 * minute, 15 * minute];
/** No other process tries for this long; longer than sending a message can take. */
export const mailClaimMilliseconds = 2 * minute;

/** A message to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /** Settles when the mail server or the folder has accepted the message; rejects otherwise. */
  send(mail: Mail): Promise<void>;
}

/** Words, or a URL with its label. */
type Paragraph = string | { readonly link: string; readonly words: string };

/** A message in the account's name, as text and as HTML. */
export function writeMail(
  { name }: Pick<Account, 'name'>,
  to: string,
  title: string,
  paragraphs: readonly Paragraph[],
): Mail {
  const texts = paragraphs.map((one) => (typeof one === 'string' ? one : one.link));
  const shown = paragraphs.map((one) =>
    typeof one === 'string' ? escaped(one) : `<a href="${escaped(one.link)}">${escaped(one.words)}</a>`,
  );
  return {
    to,
    subject: `${title} – ${name}`,
    text: `${texts.join('\n\n')}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title></head><body>
${shown.map((one) => `<p>${one}</p>`).join('\n')}
</body></html>
`,
  };
}

const characters: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => characters[character] ?? '');
}

/** Whether it was sent. The mail server's answer is not logged, because it may repeat the message. */
export async function sendMail(
  { mailer, log }: Pick<Services, 'mailer' | 'log'>,
  { subdomain }: Account,
  mail: Mail,
): Promise<boolean> {
  try {
    await mailer.send(mail);
    return true;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    const reason = typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : 'not sent';
    log.warn('mail not sent', { account: subdomain, reason });
    return false;
  }
}
