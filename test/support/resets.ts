/** Links that users ask for by e-mail, as a browser and a mailbox see them. */

import assert from 'node:assert/strict';
import type { Mail } from '../../src/domain/mail.ts';
import type { TestApp } from './app.ts';
import { CookieJar, submit, type Walk, walk } from './sign-in.ts';

/** Asks for a link with the form of the page. */
export async function askForLink(app: TestApp, name: string, jar = new CookieJar()): Promise<Walk> {
  return submit(app, await walk(app, jar, '/forgot-password'), { username: name });
}

/** What went out of the service to this address, oldest first; of what waited together about changes, by subject. */
export async function mailsTo({ services }: TestApp, email: string | null): Promise<readonly Mail[]> {
  const before = services.mails.length;
  await services.changeNotices.run();
  const together = services.mails.splice(before);
  services.mails.push(...together.sort((one, other) => (one.subject < other.subject ? -1 : 1)));
  await services.resetMails.run();
  return services.mails.filter(({ to }) => to === email);
}

/** What they were about, without the name of the account. */
export async function titlesTo(app: TestApp, email: string | null): Promise<readonly string[]> {
  return (await mailsTo(app, email)).map(({ subject }) => subject.replace(` – ${app.account.name}`, ''));
}

/** The path of the link in a message. */
export function linkIn({ account }: Pick<TestApp, 'account'>, mail: Mail | undefined): string {
  const [link = ''] = /https?:\/\/\S+/.exec(mail?.text ?? '') ?? [];
  assert.ok(mail?.html.includes(`href="${link}"`));
  const [, path] = /^(\/password\/reset\?token=pr_[\w-]{43})$/.exec(link.replace(account.baseUrl, '')) ?? [];
  assert.ok(path && link === account.baseUrl + path, link);
  return path;
}

/** A new link for the user. */
export async function newLink(app: TestApp, email: string | null): Promise<string> {
  await askForLink(app, email ?? '');
  const withLinks = (await mailsTo(app, email)).filter(({ text }) => text.includes('/password/reset'));
  return linkIn(app, withLinks.at(-1));
}
