/** A service on loopback with a temporary data directory, as the client libraries of all languages meet it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newCertificate, pemOf } from '../../test/support/client-certificates.ts';
import { type Service, startService } from '../../test/support/process.ts';
import { runningAccount } from '../../test/support/running-account.ts';
import { startTlsProxy } from '../../test/support/tls-proxy.ts';

export interface Stage {
  /** What a program is told of the service, in its environment. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const email = 'conformance@example.com';
const password = 'correct horse battery staple';
const role = 'Everyone';

/**
 * An account that anyone may register a client in, whose apps are open to all who have the role; a user with it. A proxy
 * hands over the certificates of clients at an address of its own.
 */
export async function openStage(): Promise<Stage> {
  const service: Service = await startService({ database: 'sqlite', demo: true, env: { TRUST_PROXY: '127.0.0.1' } });
  try {
    const token = await createRole(service);
    const at = ['--account', 'demo'];
    await service.cli('user', 'create', ...at, '--email', email, '--password', password, '--role', role);
    const settings = ['registration=open', `open_registration_roles=${role}`, 'limit.register-open=off'];
    const issuer = `http://localhost:${service.port}`;
    const proxy = await startTlsProxy(new URL(issuer));
    const mutualTls = ['mutual_tls=any', `mutual_tls_origin=${proxy.origin}`];
    await service.cli('account', 'set', 'demo', ...settings, ...mutualTls);
    return {
      env: {
        ...{ GATEHOUSE_ISSUER: issuer, GATEHOUSE_EMAIL: email, GATEHOUSE_PASSWORD: password, GATEHOUSE_TOKEN: token },
        ...{ GATEHOUSE_PROXY_CA: proxy.ca, ...certificateAs('GATEHOUSE_CERTIFICATE') },
        ...certificateAs('GATEHOUSE_OTHER_CERTIFICATE'),
      },
      close: async () => {
        proxy.close();
        await service.installation.dispose();
      },
    };
  } catch (error) {
    await service.installation.dispose();
    throw error;
  }
}

/** A certificate of a client and its key, as PEM in the environment. */
function certificateAs(name: string): Record<string, string> {
  const { cert, key } = pemOf(newCertificate());
  return { [name]: cert, [`${name}_KEY`]: key };
}

/** Answers the bearer that it was made with, which may manage the account. */
async function createRole(service: Service): Promise<string> {
  const demo = JSON.parse(readFileSync(join(service.folder, 'data/demo.json'), 'utf8'));
  const account = runningAccount(service, 'demo', `localhost:${service.port}`);
  try {
    const form = { grant_type: 'client_credentials', ...demo.credential };
    const { body } = await account.send('POST', '/auth/oauth2/v2/token', { form });
    const headers = { authorization: `Bearer ${body.access_token}` };
    const { status, text } = await account.send('POST', '/api/2/roles', { headers, json: { name: role } });
    if (status !== 201) throw new Error(`no role: ${text}`);
    return body.access_token;
  } finally {
    account.close();
  }
}
