/** `serve --demo`: on an empty database an account to try the service with, and where to look. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { replacePrivateFile } from './adapters/private-file.ts';
import type { Config } from './config.ts';
import type { Account } from './domain/accounts/account.ts';
import { createAccount, listAccounts, moveAccount } from './domain/accounts/accounts.ts';
import { setAdministrator } from './domain/administrators/administrators.ts';
import { createApiKey } from './domain/callers/api-keys.ts';
import { createCredential } from './domain/callers/credentials.ts';
import { Failure } from './domain/failure.ts';
import { createUser } from './domain/users/write-user.ts';
import { root } from './runtime/installation.ts';
import type { Services } from './services.ts';

const demoSubdomain = 'demo';
const demoFile = 'demo.json';
const demoEmail = 'demo@example.com';

/** What `demo.json` holds. */
interface DemoFile {
  readonly account_id: number;
  readonly base_url: string;
  readonly issuer: string;
  readonly docs_url: string;
  readonly credential: { readonly client_id: string; readonly client_secret: string };
  readonly api_key: string;
  readonly user: { readonly email: string; readonly password: string };
}

/**
 * Makes the demo account when there is no account at all, and moves it when the service listens on another port than
 * before. Answers the text to print: with the secrets once, later with where they are.
 */
export async function prepareDemo(services: Services, config: Config): Promise<string> {
  const accounts = await listAccounts(services);
  const file = join(dirname(config.masterKeyFile), demoFile);
  if (accounts.length === 0) return makeAlone(services, config, file);
  const account = accounts.find(({ subdomain, record }) => subdomain === demoSubdomain && isLocal(record.baseUrl));
  if (!account) return '';
  const { baseUrl } = addressesOf(config);
  if (account.baseUrl !== baseUrl) await moveDemo(services, config, account, file);
  return `\nSign in at ${baseUrl}/account (documentation: ${baseUrl}/docs). ${whereabouts(file)}\n\n`;
}

/** Of two processes that start together one makes the account, and the other has nothing to tell. */
async function makeAlone(services: Services, config: Config, file: string): Promise<string> {
  try {
    return introduce(await makeDemo(services, config, file), file);
  } catch (error) {
    if (error instanceof Failure && error.code === 'conflict') return '';
    throw error;
  }
}

function whereabouts(file: string): string {
  if (existsSync(file)) return `The demo secrets are in ${file}.`;
  return `${file} is missing; to create new secrets, run: npx gatehouse credential create --account demo --scope manage_all`;
}

function addressesOf({ port }: Config) {
  return { hosts: [`localhost:${port}`, `127.0.0.1:${port}`], baseUrl: new URL(`http://localhost:${port}`).origin };
}

function isLocal(baseUrl: string | null): boolean {
  return baseUrl !== null && /^http:\/\/localhost(:\d+)?$/.test(baseUrl);
}

async function makeDemo(services: Services, config: Config, file: string): Promise<DemoFile> {
  const account = await createAccount(services, { subdomain: demoSubdomain, name: 'Demo', ...addressesOf(config) });
  const password = services.random.bytes(18).toString('base64url');
  const credential = await createCredential(services, account, ['manage_all']);
  const { apiKey } = await createApiKey(services, account, 'demo');
  const user = await createUser(services, account, {
    email: demoEmail,
    password,
    firstname: 'Dana',
    lastname: 'Demo',
    validatePolicy: true,
    authority: 'all',
  });
  await setAdministrator(services, account, user.id, ['manage_all']);
  const demo: DemoFile = {
    account_id: account.id,
    ...links(account.baseUrl),
    credential: { client_id: credential.clientId, client_secret: credential.clientSecret },
    api_key: apiKey,
    user: { email: demoEmail, password },
  };
  writeDemo(file, demo);
  return demo;
}

function links(baseUrl: string): Pick<DemoFile, 'base_url' | 'issuer' | 'docs_url'> {
  return { base_url: baseUrl, issuer: baseUrl, docs_url: `${baseUrl}/docs` };
}

async function moveDemo(services: Services, config: Config, account: Account, file: string): Promise<void> {
  const moved = await moveAccount(services, account, addressesOf(config));
  const former = readDemo(file);
  if (former) writeDemo(file, { ...former, ...links(moved.baseUrl) });
}

/** Null when the operator removed the file. */
function readDemo(file: string): DemoFile | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DemoFile;
  } catch {
    return null;
  }
}

function writeDemo(file: string, demo: DemoFile): void {
  replacePrivateFile(file, `${JSON.stringify(demo, null, 2)}\n`);
}

/** The package of npm does not contain the tour. */
function hintAt(file: string, demo: DemoFile): string {
  if (!existsSync(join(root, 'scripts'))) return `Where to go from here: ${demo.docs_url}`;
  return `For a tour of everything, run in another terminal: ${tourOf(file)}`;
}

/** `npm run` starts the tour in the installation's folder, where it finds the file of the default setting by itself. */
function tourOf(file: string): string {
  const [own, given] = [join(root, 'data', demoFile), resolve(file)];
  if (given === own) return 'npm run tour';
  return `npm run tour -- --demo ${/^[\w./-]+$/.test(given) ? given : `'${given.replaceAll("'", "'\\''")}'`}`;
}

function introduce(demo: DemoFile, file: string): string {
  return `
Gatehouse is ready with a demo account. Shown once; kept in ${file} (mode 0600).

  Sign in at     ${demo.base_url}/account
  as             ${demo.user.email}
  Password       ${demo.user.password}

  Documentation  ${demo.docs_url}
  Discovery      ${demo.issuer}/.well-known/openid-configuration

  API pair       ${demo.credential.client_id}
                 ${demo.credential.client_secret}
  API key        ${demo.api_key}

${hintAt(file, demo)}

`;
}
