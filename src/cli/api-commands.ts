import type { Command } from 'commander';
import { changeOffer, listOffers, type Offer } from '../domain/authorization-servers/offers.ts';
import { Failure } from '../domain/failure.ts';
import { addCommand, addGroup, type Outlet, readId, readPairs } from './command.ts';
import { fields, table } from './output.ts';
import { withAccount } from './session.ts';

export function addApiCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'api', 'APIs for which clients get access tokens');
  addCommand<{ account: string }>(
    group,
    'list',
    'list all APIs, and what clients without a link can have',
    outlet,
    (call) =>
      withAccount(call.options.account, async (services, account) => {
        const offers = await listOffers(services, account);
        const rows = offers.map((offer) => [
          offer.id,
          offer.name,
          offer.resourceIdentifier,
          offer.clientAccess,
          offer.resourceMetadata ? 'on' : 'off',
          offer.open.join(' '),
        ]);
        const headings = ['id', 'name', 'resource_identifier', 'client_access', 'resource_metadata', 'open'];
        return { json: offers.map(shown), text: table(headings, rows) };
      }),
  ).requiredOption('--account <subdomain>', 'the account');
  addCommand<{ account: string }>(group, 'set <api_id> <pairs...>', 'change an API: key=value', outlet, (call) => {
    const [id, pairs] = call.args as [string, string[]];
    const apiId = readId('api_id', id);
    const changes = readChanges(readPairs(pairs));
    return withAccount(call.options.account, async (services, account) => {
      const offer = shown(await changeOffer(services, account, apiId, changes));
      return { json: offer, text: fields(offer) };
    });
  })
    .requiredOption('--account <subdomain>', 'the account')
    .addHelpText(
      'after',
      '\nKeys: client_access (linked: only linked clients get tokens; consent: any client whose user agrees),\n' +
        'open (the scopes that clients without a link can have, separated by commas; empty for none),\n' +
        'resource_metadata (on: the service answers the metadata of the API to anybody; off)',
    );
}

function shown({ id, name, resourceIdentifier, clientAccess, resourceMetadata, open }: Offer) {
  const metadata = resourceMetadata ? 'on' : 'off';
  return {
    id,
    name,
    resource_identifier: resourceIdentifier,
    client_access: clientAccess,
    resource_metadata: metadata,
    open,
  };
}

function readChanges(pairs: Readonly<Record<string, string>>) {
  const { client_access: access, open, resource_metadata: metadata, ...others } = pairs;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalid(unknown, 'the keys are client_access, open, and resource_metadata');
  return {
    ...(access !== undefined && { clientAccess: readAccess(access) }),
    ...(metadata !== undefined && { resourceMetadata: readSwitch(metadata) }),
    open: open?.split(',').filter(Boolean),
  };
}

function readAccess(access: string): 'linked' | 'consent' {
  if (access === 'linked' || access === 'consent') return access;
  throw invalid('client_access', 'client_access must be linked or consent');
}

function readSwitch(value: string): boolean {
  if (value === 'on' || value === 'off') return value === 'on';
  throw invalid('resource_metadata', 'resource_metadata must be on or off');
}

function invalid(name: string, message: string): Failure {
  return new Failure('value_invalid', { name, message });
}
