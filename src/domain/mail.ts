/** Messages to users: what the domain asks of whoever sends them, and how they are written. */

import type { Services } from '../services.ts';
import type { Account } from './accounts/account.ts';
import { minute, second } from './durations.ts';

/** After each try until the next; after the last one the message is given up. */
export const mailPauses = [10 * second, minute, 5 * minute, 15 * minute];
/** For so long nobody else tries; longer than a message can take. */
export const mailClaimMilliseconds = 2 * minute;

/** A message to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /** Settles when the mail server, or the folder, has taken the message; rejects when it did not. */
  send(mail: Mail): Promise<void>;
}

/** Words, or an address with the words that it is shown as. */
type Paragraph = string | { readonly link: string; readonly words: string };

/** A message in the account's name, as text and as a page. */
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

/** Whether it was sent. The log gets no word of what a mail server answered: that may repeat the message. */
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
