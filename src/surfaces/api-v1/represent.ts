import { escapeXml } from '../../http/xml-text.ts';

/** Why a user is not authenticated; the document's §7. */
export type RefusalMessage = 'Invalid password' | 'Account not found' | 'User not found';

/** The document's §2.5: without a declaration and without white space, as its clients have always read it. */
export function refused(message: RefusalMessage): string {
  return `<response><authenticated>false</authenticated><message>${message}</message></response>`;
}

/** A user without a name gets empty elements. */
export function authenticated(firstname: string | null, lastname: string | null): string {
  const names = `<firstname>${escapeXml(firstname ?? '')}</firstname><lastname>${escapeXml(lastname ?? '')}</lastname>`;
  return `<response><authenticated>true</authenticated>${names}<message>Success</message></response>`;
}

export function error(message: string, code: string): string {
  return `<error><message>${escapeXml(message)}</message><code>${code}</code></error>`;
}
