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
          offer.open.join(' '),
        ]);
        const headings = ['id', 'name', 'resource_identifier', 'client_access', 'open'];
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
        'open (the scopes that clients without a link can have, separated by commas; empty for none)',
    );
}

function shown({ id, name, resourceIdentifier, clientAccess, open }: Offer) {
  return { id, name, resource_identifier: resourceIdentifier, client_access: clientAccess, open };
}

function readChanges({ client_access: access, open, ...others }: Readonly<Record<string, string>>) {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalid(unknown, 'the keys are client_access and open');
  return { ...(access !== undefined && { clientAccess: readAccess(access) }), open: open?.split(',').filter(Boolean) };
}

function readAccess(access: string): 'linked' | 'consent' {
  if (access === 'linked' || access === 'consent') return access;
  throw invalid('client_access', 'client_access must be linked or consent');
}

function invalid(name: string, message: string): Failure {
  return new Failure('value_invalid', { name, message });
}
