/** Requests of the service to the Internet, answered by the test. */

import type { EgressResult } from '../../src/domain/egress.ts';

/** What was at `url`: text, or else anything as JSON. */
export function fetched(url: string, content: unknown, status = 200): EgressResult {
  const body = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
  return { ok: true, response: { url, redirected: false, status, statusText: '', headers: [], body } };
}
