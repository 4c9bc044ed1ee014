/**
 * Fills the database that the environment names with accounts that each have a token for their logs of hooks.
 *
 *     node test/bench/seed-streams.ts <file> <accounts>
 */
import { writeFileSync } from 'node:fs';
import { withServices } from '../../src/cli/session.ts';
import { createAccount } from '../../src/domain/accounts/accounts.ts';
import { issueCredentialToken } from '../../src/domain/callers/credential-tokens.ts';
import { createCredential } from '../../src/domain/callers/credentials.ts';

/** Whose logs can be followed. */
export type SeededStreams = readonly { readonly host: string; readonly token: string }[];

const [file = '', accounts = ''] = process.argv.slice(2);
const seeded = await withServices(async (services) => {
  const made: { host: string; token: string }[] = [];
  for (let number = 1; number <= Number(accounts); number += 1) {
    const account = await createAccount(services, { subdomain: `bench${number}` });
    const { clientId } = await createCredential(services, account, ['manage_all']);
    const credential = await services.store.callers.findCredential(account.id, clientId);
    if (!credential) throw new Error('the credential was not stored');
    const { accessToken: token } = await issueCredentialToken(services, account, credential);
    made.push({ host: new URL(account.baseUrl).host, token });
  }
  return made;
});
writeFileSync(file, JSON.stringify(seeded satisfies SeededStreams), { mode: 0o600 });
