import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { UserRecord } from '../../../src/store/users.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { type ApiKey, newApiKey } from '../../support/legacy.ts';
import { addUser } from '../../support/users.ts';

export const password = 'correct horse battery staple';
/** An unknown key in the right format. */
export const unknownKey = `ak_${'A'.repeat(43)}`;

export type Message = 'Success' | 'Invalid password' | 'Account not found' | 'User not found';

/** A user with a name of their own, and the password above. */
export function newUser({ services, account }: TestApp): Promise<UserRecord> {
  return addUser(services, account, { email: `d${randomBytes(6).toString('hex')}@example.com`, password });
}

export interface Delegated {
  readonly key: ApiKey;
  /** Asks with this key; a list of pairs or a text can repeat a parameter. */
  ask(query: Readonly<Record<string, string>> | string, host?: string): Promise<Answer>;
  /** The message of the answer. */
  say(email: string | null, given?: string): Promise<Message>;
}

/** The surface, called with a new key of the account. */
export async function delegated(app: TestApp): Promise<Delegated> {
  const key = await newApiKey(app);
  const ask: Delegated['ask'] = (query, host) =>
    app.send(
      'GET',
      `/api/v1/delegated_auth?${typeof query === 'string' ? query : new URLSearchParams(query)}`,
      host === undefined ? {} : { host },
    );
  return {
    key,
    ask,
    say: async (email, given = password) =>
      messageOf(await ask({ api_key: key.key, email: email ?? '', password: given })),
  };
}

export function messageOf(answer: Answer): Message {
  assert.equal(answer.status, 200);
  const [, message] = /<message>([^<]*)<\/message><\/response>$/.exec(answer.text) ?? [];
  return message as Message;
}
