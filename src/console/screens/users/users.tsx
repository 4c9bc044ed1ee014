import { useEffect, useState } from 'preact/hooks';
import { type Answer, api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Filters } from '../../parts/filters.tsx';
import { NewButton } from '../../parts/new-button.tsx';
import { say } from '../../parts/notices.tsx';
import { whole } from '../../parts/pages.ts';
import { Screen } from '../../parts/screen.tsx';
import { Search } from '../../parts/search.tsx';
import { List } from '../../parts/table.tsx';
import { go, hrefOf, useAddress } from '../../routing/address.ts';
import { may } from '../../session/session.ts';
import { Bulk } from './bulk/bulk.tsx';
import { ChooseColumns, columnsOf } from './columns.tsx';
import { ExportUsers } from './export.tsx';
import { nameFields } from './fields.ts';
import { searchUsers } from './search.ts';
import { nameOf, statuses } from './words.ts';

type User = Schemas['User'];

const filters = [
  { name: 'status', label: 'Status', options: statuses.map(([known, words]) => [String(known), words] as const) },
  { name: 'email', label: 'E-mail' },
  { name: 'username', label: 'User name' },
  { name: 'department', label: 'Department' },
  { name: 'company', label: 'Company' },
  { name: 'role_ids', label: 'Role (id)' },
  { name: 'app_id', label: 'App (id)' },
  { name: 'policy_id', label: 'Policy (id)' },
] as const;

const mostFound = 25;
/** Parameters of the address that do not say which users the list has. */
const notOfList = ['cursor', 'columns'];

/** Users by what the address bar says; what is typed into the search is found by the first letters. */
async function ask(query: URLSearchParams): Promise<Answer<readonly User[]>> {
  const text = query.get('q');
  if (text) return { data: await searchUsers(text, mostFound), tag: null, headers: new Headers() };
  const { cursor, q: _, columns: __, ...given } = Object.fromEntries(query);
  return api.get('/api/2/users', { query: cursor ? { cursor } : { limit: 25, ...given } });
}

const password = {
  name: 'password',
  label: 'Password',
  kind: 'secret',
  help: 'Without one, send an invite link.',
} as const;

async function create(body: Record<string, unknown>): Promise<void> {
  const confirmed = 'password' in body ? { ...body, password_confirmation: body['password'] } : body;
  const { data } = await api.post('/api/2/users', { body: confirmed as Schemas['UserInput'] });
  go(hrefOf(`users/${data.id}`));
}

const mostChosen = 500;

/** Users who are chosen, also on other pages of the list, as long as it is the same list. */
function useChosen(list: string) {
  const [chosen, setChosen] = useState<ReadonlyMap<number, User>>(new Map());
  useEffect(() => setChosen(new Map()), [list]);
  const keep = (users: readonly User[]) => setChosen(new Map(users.map((user) => [user.id, user])));
  const choose = (users: readonly User[], isChosen: boolean) => {
    const next = new Map(chosen);
    for (const user of users) {
      if (isChosen) next.set(user.id, user);
      else next.delete(user.id);
    }
    const isTooMany = next.size > mostChosen;
    if (isTooMany) say(`At most ${mostChosen} users can be chosen at once.`);
    // Rendered again, the box that was pressed shows what is chosen.
    setChosen(isTooMany ? new Map(chosen) : next);
  };
  return { chosen, keep, choose };
}

/** The list, without its page and what is shown of it. */
function listOf(query: URLSearchParams): string {
  const list = new URLSearchParams(query);
  for (const name of notOfList) list.delete(name);
  return list.toString();
}

export function Users() {
  const { query } = useAddress();
  const list = listOf(query);
  const asked = useAnswer(() => ask(query), [list, query.get('cursor')]);
  const attributes =
    useAnswer(() => whole((page) => api.get('/api/2/users/custom_attributes', { query: page })), []).answer?.data ?? [];
  const { chosen, keep, choose } = useChosen(list);
  const canWrite = may('manage_users');
  return (
    <Screen title="Users" actions={<UsersActions />}>
      <Search label="Search users" hint="First letters of a name or an e-mail address" text={query.get('q') ?? ''} />
      <div class="beside">
        <Filters filters={filters} query={query} />
        <ChooseColumns query={query} attributes={attributes} />
      </div>
      {chosen.size > 0 && (
        <Bulk
          users={[...chosen.values()]}
          finish={(left) => {
            keep(left);
            void asked.again();
          }}
          clear={() => keep([])}
        />
      )}
      <List
        caption="Users"
        asked={asked}
        keyOf={({ id }: User) => id}
        columns={columnsOf(query, attributes)}
        choice={canWrite ? { isChosen: ({ id }) => chosen.has(id), nameOf, choose } : undefined}
        empty={
          list === '' ? (
            <p>There are no users yet. Create one here, or import a file.</p>
          ) : (
            <p>
              Nobody matches. <a href={hrefOf('users')}>Show all users</a>.
            </p>
          )
        }
      />
      {query.get('q') && asked.answer?.data.length === mostFound && (
        <p class="quiet">These are the first {mostFound}. Type more of the name, or use a filter.</p>
      )}
    </Screen>
  );
}

function UsersActions() {
  return (
    <>
      {may('read_all') && <ExportUsers />}
      {may('manage_all') && (
        <a class="button" href={hrefOf('users/import')}>
          Import
        </a>
      )}
      {may('manage_users') && (
        <NewButton
          label="New user"
          fields={may('manage_all') ? [...nameFields, password] : nameFields}
          done="The user was created."
          create={create}
        />
      )}
    </>
  );
}
