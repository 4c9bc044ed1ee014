import type { Command } from 'commander';
import { changeOffer, listOffers, type Offer } from '../domain/authorization-servers/offers.ts';
import { accountOption, addCommand, addGroup, type OfAccount, type Outlet, readId } from './command.ts';
import { fields, table } from './output.ts';
import { type PairReaders, readMembers, readOne, readSwitch, readWords } from './pairs.ts';
import { withAccount } from './session.ts';

export function addApiCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'api', 'APIs for which clients get access tokens');
  addCommand<OfAccount>(group, 'list', 'list all APIs, and what clients without a link can have', outlet, (call) =>
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
  ).requiredOption(...accountOption);
  addCommand<OfAccount>(group, 'set <api_id> <pairs...>', 'change an API: key=value', outlet, async (call) => {
    const [id, pairs] = call.args as [string, string[]];
    const apiId = readId('api_id', id);
    const changes = await readMembers(pairs, readers);
    return withAccount(call.options.account, async (services, account) => {
      const offer = shown(await changeOffer(services, account, apiId, changes));
      return { json: offer, text: fields(offer) };
    });
  })
    .requiredOption(...accountOption)
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

interface ApiChanges {
  readonly clientAccess?: 'linked' | 'consent';
  readonly open?: readonly string[];
  readonly resourceMetadata?: boolean;
}

const readers: PairReaders<ApiChanges> = {
  client_access: (text, key) => ({ clientAccess: readOne(text, key, ['linked', 'consent']) }),
  open: (text) => ({ open: readWords(text) }),
  resource_metadata: (text, key) => ({ resourceMetadata: readSwitch(text, key) }),
};
