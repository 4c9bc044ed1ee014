/** What the floors on both databases are sent, and what they answer. */

import { scope } from './peer.ts';

export interface Person {
  readonly id: number | string | null;
  readonly email: string | null;
  readonly firstname: string | null;
  readonly lastname: string | null;
}

export function bearerOf(authorization = ''): string {
  return authorization.slice('Bearer '.length);
}

/** Of `client_secret_basic`. */
export function basicOf(authorization = ''): [id: string, secret: string] {
  const text = Buffer.from(authorization.slice('Basic '.length), 'base64').toString();
  const [id = '', secret = ''] = text.split(':');
  return [id, secret];
}

export function tokenBody(access_token: string, granted = scope) {
  return { access_token, token_type: 'Bearer', expires_in: 3600, scope: granted };
}

export function activeBody(client_id: string | null, sub: Person['id'], expiresAt: number) {
  return { active: true, scope, client_id, token_type: 'Bearer', exp: Math.floor(expiresAt / 1000), sub };
}

export function personBody({ id, email, firstname, lastname }: Person) {
  return { sub: id, email, name: `${firstname} ${lastname}`, given_name: firstname, family_name: lastname };
}

export function pushedBody(secret: string) {
  return { request_uri: `urn:ietf:params:oauth:request_uri:${secret}`, expires_in: 90 };
}

export function registeredBody(client_id: string, client_secret: string, given: object) {
  return { client_id, client_secret, client_secret_expires_at: 0, ...given };
}
