/** The XML surface as an old program calls it. */

import assert from 'node:assert/strict';
import { createApiKey } from '../../../src/domain/callers/api-keys.ts';
import { basic, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { readXmlAnswer } from '../../support/xml-answer.ts';

export type XmlValue = string | number | null;

export interface XmlUser extends Readonly<Record<string, XmlValue>> {
  readonly id: number;
}

export interface Calling {
  /** The text of the key. */
  readonly apiKey: string;
  readonly keyId: number;
  /** Sends a request with the key, and the document as `application/xml` when there is one. */
  call(method: string, path: string, document?: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** What an answer of this status holds. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of answers that `conforms` has checked
  done(status: number, method: string, path: string, document?: string): Promise<any>;
}

/** The hosts that answer for every account. */
export const sharedHosts = ['api.gatehouse.example', 'app.gatehouse.example'] as const;

/** The surface with a new key; on the account's own host, or on one that answers for every account. */
export async function calling(app: TestApp, host: 'account' | 'app' = 'account'): Promise<Calling> {
  const { apiKey, id } = await createApiKey(app.services, app.account, 'old program');
  const call: Calling['call'] = (method, path, document, headers = {}) =>
    app.send(method, path, {
      ...(host === 'app' && { host: sharedHosts[1] }),
      headers: {
        ...basic(apiKey, 'x'),
        ...(document !== undefined && { 'content-type': 'application/xml' }),
        ...headers,
      },
      ...(document !== undefined && { raw: document }),
    });
  return {
    apiKey,
    keyId: id,
    call,
    done: async (status, method, path, document) => {
      const answer = await call(method, path, document);
      assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
      return readXmlAnswer(answer.text);
    },
  };
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/** A `user` document with these elements; null is nil. */
export function userXml(elements: Readonly<Record<string, XmlValue | undefined>>): string {
  const inside = Object.entries(elements).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (value === null) return [`<${name} nil="true"/>`];
    const text = String(value).replace(/[&<>\r]/g, (character) => escapes[character] ?? '');
    return [`<${name}>${text}</${name}>`];
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<user>${inside.join('')}</user>`;
}

/** The one error form, with words that match. */
export function assertRefused(answer: Answer, status: number, words: RegExp = /./, what = ''): void {
  assert.equal(answer.status, status, `${what} ${answer.text}`);
  assert.equal(answer.headers['content-type'], 'application/xml; charset=utf-8', what);
  const [told, ...rest] = readXmlAnswer(answer.text) as string[];
  assert.match(told ?? '', words, what);
  assert.deepEqual(rest, []);
  assert.match(
    answer.text,
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<errors>\n {2}<error>[^<]+<\/error>\n<\/errors>$/,
  );
}
