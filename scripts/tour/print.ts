/** What the tour prints: readable text, no secret in full. */

import { printableText } from '../../src/adapters/printable.ts';

const secrets = new Set([
  'access_token',
  'api_key',
  'client_secret',
  'code',
  'code_verifier',
  'csrf',
  'id_token',
  'refresh_token',
  'registration_access_token',
  'request',
  'token',
]);

const columns = 100;

/** Much of it is what the service sent. */
export function say(text: string): void {
  process.stdout.write(printableText(text));
}

/** The start of a step. */
export function heading(title: string, about: string): void {
  say(`\n${'─'.repeat(columns)}\n${title}\n${wrap(about)}\n`);
}

function wrap(text: string): string {
  return text.replaceAll(new RegExp(`(.{1,${columns}})(?: |$)`, 'g'), '$1\n').trimEnd();
}

/** Both ends of a secret, enough to tell one from another. */
function shorten(value: string): string {
  return value.length > 24 ? `${value.slice(0, 8)}…${value.slice(-4)}` : '…';
}

/** A member's value as it may be shown. */
function shown(name: string, value: string): string {
  if (name === 'password') return '…';
  if (secrets.has(name)) return shorten(value);
  return /^https?:\/\/[^?]*\?/.test(value) ? showAddress(value) : value;
}

/** JSON with its secrets shortened. */
export function showJson(value: unknown): string {
  return JSON.stringify(value, (name, member) => (typeof member === 'string' ? shown(name, member) : member), 2);
}

/** Form members, one on each line. */
export function showForm(form: Readonly<Record<string, string>>): string {
  return Object.entries(form)
    .map(([name, value]) => `${name}=${shown(name, value)}`)
    .join('\n');
}

/** An address with the secrets of its query shortened. */
export function showAddress(address: string): string {
  return address.replaceAll(/([?&])([^=&]+)=([^&]*)/g, (_, mark: string, name: string, value: string) => {
    return `${mark}${name}=${shown(name, value)}`;
  });
}

/** A header with what is secret in it shortened. */
export function showHeader(name: string, value: string): string {
  switch (name) {
    case 'authorization':
      return value.replace(/^(\S+) (.*)$/, (_, scheme: string, credentials: string) => {
        return `${scheme} ${shorten(credentials)}`;
      });
    case 'cookie':
    case 'set-cookie':
      return value.replaceAll(
        /(^|; |, )([\w-]*(?:sid|tx))=([^;]*)/g,
        (_, before: string, cookie: string, held: string) => {
          return `${before}${cookie}=${shorten(held)}`;
        },
      );
    case 'location':
      return showAddress(value);
    default:
      return value;
  }
}

/** A block of text, set in. */
export function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
