import type { Command } from 'commander';
import { createApiKey, listApiKeys, revokeApiKey } from '../domain/callers/api-keys.ts';
import { createCredential, listCredentials, revokeCredential } from '../domain/callers/credentials.ts';
import { credentialScopes } from '../domain/callers/scopes.ts';
import { accountOption, addCommand, addGroup, collect, type OfAccount, type Outlet, readId } from './command.ts';
import { addYesOption, type Confirmable, confirm } from './confirm.ts';
import { fields, isoTime, table } from './output.ts';
import { withAccount } from './session.ts';

export function addCredentialCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'credential', 'credential pairs with which programs get tokens for the API');
  addCommand<OfAccount & { scope: string[] }>(
    group,
    'create',
    'create a pair; its secret is shown once',
    outlet,
    (call) =>
      withAccount(call.options.account, async (services, account) => {
        const { clientId, clientSecret, scopes } = await createCredential(services, account, call.options.scope);
        const json = { client_id: clientId, client_secret: clientSecret, scopes };
        return { json, text: fields(json) };
      }),
  )
    .requiredOption(...accountOption)
    .requiredOption('--scope <scope>', `${credentialScopes.join(', ')}; may be repeated`, collect);
  addCommand<OfAccount>(group, 'list', 'list the active pairs', outlet, (call) =>
    withAccount(call.options.account, async (services, account) => {
      const credentials = await listCredentials(services, account);
      return {
        json: credentials.map(({ clientId, scopes, createdAt }) => ({
          client_id: clientId,
          scopes,
          created_at: isoTime(createdAt),
        })),
        text: table(
          ['client id', 'scopes', 'created'],
          credentials.map(({ clientId, scopes, createdAt }) => [clientId, scopes.join(', '), isoTime(createdAt)]),
        ),
      };
    }),
  ).requiredOption(...accountOption);
  const revoke = addCommand<OfAccount & Confirmable>(
    group,
    'revoke <client_id>',
    'revoke a pair and its tokens',
    outlet,
    (call) =>
      withAccount(call.options.account, async (services, account) => {
        const clientId = call.args[0] as string;
        await confirm(`the pair ${clientId} and its tokens are revoked`, call.options);
        await revokeCredential(services, account, clientId);
        return { json: { client_id: clientId, revoked: true }, text: `${clientId} is revoked\n` };
      }),
  ).requiredOption(...accountOption);
  addYesOption(revoke);
}

export function addApiKeyCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'api-key', 'API keys for the deprecated surfaces');
  addCommand<OfAccount & { name: string }>(group, 'create', 'create a key; it is shown once', outlet, (call) =>
    withAccount(call.options.account, async (services, account) => {
      const { id, apiKey } = await createApiKey(services, account, call.options.name);
      return { json: { id, api_key: apiKey }, text: fields({ id, api_key: apiKey }) };
    }),
  )
    .requiredOption(...accountOption)
    .option('--name <name>', 'what it is for', 'unnamed');
  addCommand<OfAccount>(group, 'list', 'list the active keys', outlet, (call) =>
    withAccount(call.options.account, async (services, account) => {
      const keys = await listApiKeys(services, account);
      return {
        json: keys.map(({ id, name, createdAt }) => ({ id, name, created_at: isoTime(createdAt) })),
        text: table(
          ['id', 'name', 'created'],
          keys.map(({ id, name, createdAt }) => [id, name, isoTime(createdAt)]),
        ),
      };
    }),
  ).requiredOption(...accountOption);
  const revoke = addCommand<OfAccount & Confirmable>(group, 'revoke <id>', 'revoke a key', outlet, (call) =>
    withAccount(call.options.account, async (services, account) => {
      const id = readId('id', call.args[0] as string);
      await confirm(`API key ${id} is revoked`, call.options);
      await revokeApiKey(services, account, id);
      return { json: { id, revoked: true }, text: `API key ${id} is revoked\n` };
    }),
  ).requiredOption(...accountOption);
  addYesOption(revoke);
}
