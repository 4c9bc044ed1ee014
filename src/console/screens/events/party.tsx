import type { Schemas } from '../../api/contract.ts';
import { hrefOf } from '../../routing/address.ts';

type Party = Schemas['EventActor'] | Schemas['EventTarget'];

/** Where the console shows parties of a kind. */
const places: Readonly<Record<string, string>> = {
  user: 'users',
  client: 'apps',
  app: 'apps',
  role: 'roles',
  policy: 'policies',
  api_authorization: 'apis',
};

const words: Readonly<Record<string, string>> = {
  command_line: 'command line',
  system: 'the service',
  API: 'API key',
};

/** Who did something, or what it was done to; a link where there is a screen for it. */
export function PartyName({ party: { type, id } }: { readonly party: Party }) {
  const name = [words[type] ?? type.replaceAll('_', ' '), id].filter((part) => part !== null).join(' ');
  const place = places[type];
  return id === null || place === undefined ? (
    <span class="whole">{name}</span>
  ) : (
    <a href={hrefOf(`${place}/${id}`)}>{name}</a>
  );
}
