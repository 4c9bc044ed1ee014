/** Calls of the deprecated surfaces as their clients have always made them: bytes in, bytes out. */

import assert from 'node:assert/strict';
import { createApiKey } from '../../src/domain/callers/api-keys.ts';
import type { TestApp } from './app.ts';
import type { Answer } from './conforms.ts';
import { conforms } from './conforms.ts';
import type { RawServer } from './raw-http.ts';

/** The host that serves the deprecated surfaces for every account. */
export const apiHost = 'api.gatehouse.example';
export const appHost = 'app.gatehouse.example';

/** A new key of the application's account. */
export async function newApiKey({ services, account }: TestApp, name = 'an integration'): Promise<ApiKey> {
  const { id, apiKey } = await createApiKey(services, account, name);
  return { id, key: apiKey };
}

export interface ApiKey {
  readonly id: number;
  readonly key: string;
}

/** The hosts on which a key of the account works. */
export function hostsOf({ account }: TestApp): string[] {
  return [new URL(account.baseUrl).host, apiHost, appHost];
}

/** Sends a handwritten request and checks the answer against the contract. */
export async function sendLines(server: RawServer, lines: readonly string[], body?: string): Promise<Answer> {
  const [method = '', path = ''] = lines[0]?.split(' ') ?? [];
  const answer = await server.send(lines, body);
  conforms(method, path, answer);
  return answer;
}

/** Asserts the headers that every answer of a deprecated surface has. */
export function assertDeprecated(answer: Answer, successor: string): void {
  const since = Number(/^@(\d+)$/.exec(String(answer.headers['deprecation']))?.[1]);
  assert.ok(since > 0 && since * 1000 <= Date.now(), `deprecation: ${answer.headers['deprecation']}`);
  assert.equal(answer.headers['link'], `<${successor}>; rel="successor-version"`);
}
