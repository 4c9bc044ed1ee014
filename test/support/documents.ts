/** An Internet of metadata documents, and the clients that they make. */

import { setAccount } from '../../src/domain/accounts/accounts.ts';
import type { Egress } from '../../src/domain/egress.ts';
import { createRole } from '../../src/domain/roles/write-role.ts';
import type { TestApp } from './app.ts';
import { type RegisteredClient, redirectUri } from './sign-in.ts';

/** What is at addresses, as JSON; a number is the status of an answer without a body. */
export interface Documents {
  readonly at: Map<string, unknown>;
  /** Addresses that were asked. */
  readonly asked: string[];
  readonly egress: Egress;
}

export function openDocuments(): Documents {
  const at: Documents['at'] = new Map();
  const asked: string[] = [];
  const egress: Egress = {
    fetch: async ({ url }) => {
      asked.push(url);
      const found = at.get(url);
      if (found === undefined) return { ok: false, failure: 'connection_failed' };
      const [status, body] = typeof found === 'number' ? [found, ''] : [200, JSON.stringify(found)];
      const headers = [['content-type', 'application/json']] as const;
      return {
        ok: true,
        response: { url, redirected: false, status, statusText: '', headers, body: Buffer.from(body) },
      };
    },
  };
  return { at, asked, egress };
}

let made = 0;

/** Publishes the document of a new client, at the host of the redirect URI. */
export function publish({ at }: Documents, members: object = {}): RegisteredClient {
  made += 1;
  const client_id = `https://app.example.com/client-${made}.json`;
  at.set(client_id, { client_id, client_name: 'Agent Tool', redirect_uris: [redirectUri], ...members });
  return { client_id, app_id: Number.NaN, token_endpoint_auth_method: 'none' };
}

export const takesDocuments = {
  client_id_metadata_documents: 'any',
  client_id_metadata_roles: 'Everyone',
  'limit.client-metadata': 'off',
};

/** An account whose users with the role `Everyone` may use any client with a document. */
export async function accountForDocuments(app: TestApp, settings: Readonly<Record<string, string>>): Promise<TestApp> {
  const one = await app.another();
  await createRole(one.services, one.account, { name: 'Everyone' });
  const account = await setAccount(one.services, one.account.subdomain, { ...takesDocuments, ...settings });
  return { ...one, account };
}
