#!/usr/bin/env node
/**
 * The browser of the programs in `programs`: opens an address of the service, signs the user in, consents, and prints
 * the address of the client that it is sent back to.
 *
 *     browser.ts <address> <user name> <password>
 */
import { CookieJar, readForm } from '../tour/page.ts';

const mostPages = 10;
const [start = '', username = '', password = ''] = process.argv.slice(2);
const { origin } = new URL(start);
const jar = new CookieJar();

let address = new URL(start);
let form: Record<string, string> | null = null;
for (let page = 0; address.origin === origin; page += 1) {
  if (page === mostPages) throw new Error(`still at ${address.pathname} after ${mostPages} pages`);
  const sent = form === null ? {} : { method: 'POST', body: new URLSearchParams(form) };
  const answer: Response = await fetch(address, { ...sent, headers: jar.header, redirect: 'manual' });
  jar.keep(answer.headers);
  const location = answer.headers.get('location');
  const shown = location === null ? readForm(await answer.text()) : null;
  if (location === null && (shown === null || answer.status !== 200)) {
    throw new Error(`${address.pathname} answered ${answer.status}`);
  }
  address = new URL(location ?? shown?.action ?? '', address);
  form = shown && fillIn(shown);
}
process.stdout.write(address.href);

function fillIn({ names, values }: { names: ReadonlySet<string>; values: Readonly<Record<string, string>> }) {
  return names.has('password') ? { ...values, username, password } : { ...values, decision: 'allow' };
}
