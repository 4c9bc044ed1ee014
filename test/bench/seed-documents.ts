/**
 * Fills the database that the environment names with an account that knows clients by their metadata documents, a
 * client that registered, one with a document that users have agreed to, and signed-in users of both.
 *
 *     node test/bench/seed-documents.ts <file> <users> <address of the document>
 */
import { writeFileSync } from 'node:fs';
import { withServices } from '../../src/cli/session.ts';
import { registerClient } from '../../src/domain/clients/register.ts';
import type { Services } from '../../src/services.ts';
import type { ClientRecord } from '../../src/store/clients.ts';
import { makeAccount, signIn } from './seeding.ts';

/** What a caller of the seeded account knows. */
export interface SeededDocuments {
  readonly host: string;
  /** Of the client that registered. */
  readonly clientId: string;
  readonly registered: readonly string[];
  /** Refresh tokens of the client with the document. */
  readonly documented: readonly string[];
}

/** As the document of the other one. */
const registration = {
  client_name: 'A tool',
  application_type: 'native',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

async function seed(services: Services, users: number, address: string): Promise<SeededDocuments> {
  const account = await makeAccount(services, { registration: 'open', client_id_metadata_documents: 'any' });
  const anybody = { caller: null, source: '127.0.0.1', openAllowed: true };
  const rules = {
    ...{ nameRequired: false, redirectUrisRequired: true, standard: true },
    ...{ defaultGrantTypes: [], defaultResponseTypes: [] },
  };
  const { client } = await registerClient(services, account, anybody, registration, rules);
  const known = await services.store.clients.ensureDocument({ ...client, clientId: address }, 1);
  if (!known) throw new Error('the client with the document was not stored');
  const tokensOf = (one: ClientRecord, first: number) =>
    services.store.transaction(async (tx) => {
      const tokens: string[] = [];
      for (let number = first; number < first + users; number += 1) {
        const { started } = await signIn(services, tx, account, one, number);
        tokens.push(started.refreshToken ?? '');
      }
      return tokens;
    });
  return {
    host: new URL(account.baseUrl).host,
    clientId: client.clientId,
    registered: await tokensOf(client, 1),
    documented: await tokensOf(known.client, users + 1),
  };
}

const [file = '', users = '0', address = ''] = process.argv.slice(2);
const seeded = await withServices((services) => seed(services, Number(users), address));
writeFileSync(file, JSON.stringify(seeded), { mode: 0o600 });
