import type { Account } from '../accounts/account.ts';
import type { Mail } from '../mail.ts';

const characters: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => characters[character] ?? '');
}

/** The message with a link; what it says of its life is `lifeMinutes`. */
export function resetMessage({ name }: Pick<Account, 'name'>, to: string, link: string, lifeMinutes: number): Mail {
  const opening = `Somebody asked for a new password for ${to} at ${name}. If it was you, choose one here:`;
  const life = `The link works once, for ${lifeMinutes} minutes; a newer one takes its place.`;
  const otherwise = 'If it was not you, you need not do anything: your password stays as it is.';
  return {
    to,
    subject: `Choose a new password – ${name}`,
    text: `${opening}\n\n${link}\n\n${life}\n\n${otherwise}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Choose a new password</title></head><body>
<p>${escaped(opening)}</p>
<p><a href="${escaped(link)}">Choose a new password</a></p>
<p>${escaped(life)}</p>
<p>${escaped(otherwise)}</p>
</body></html>
`,
  };
}
