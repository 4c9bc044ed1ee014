import { type Answer, api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Filters } from '../../parts/filters.tsx';
import { NewButton } from '../../parts/new-button.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Search } from '../../parts/search.tsx';
import { List } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { go, hrefOf, useAddress } from '../../routing/address.ts';
import { may } from '../../session/session.ts';
import { nameFields } from './fields.ts';
import { searchUsers } from './search.ts';
import { UserLink } from './user-link.tsx';
import { statuses, statusOf } from './words.ts';

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

/** Users by what the address bar says; what is typed into the search is found by the first letters. */
async function ask(query: URLSearchParams): Promise<Answer<readonly User[]>> {
  const text = query.get('q');
  if (text) return { data: await searchUsers(text, mostFound), tag: null, headers: new Headers() };
  const { cursor, q: _, ...given } = Object.fromEntries(query);
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

export function Users() {
  const { query } = useAddress();
  const asked = useAnswer(() => ask(query), [query.toString()]);
  return (
    <Screen
      title="Users"
      actions={
        may('manage_users') && (
          <NewButton
            label="New user"
            fields={may('manage_all') ? [...nameFields, password] : nameFields}
            done="The user was created."
            create={create}
          />
        )
      }
    >
      <Search label="Search users" hint="First letters of a name or an e-mail address" text={query.get('q') ?? ''} />
      <Filters filters={filters} query={query} />
      <List
        caption="Users"
        asked={asked}
        keyOf={({ id }: User) => id}
        columns={[
          {
            title: 'Name',
            cell: (user) => <UserLink user={user} />,
          },
          { title: 'E-mail', cell: ({ email }) => <bdi>{email ?? '–'}</bdi> },
          { title: 'User name', cell: ({ username }) => <bdi>{username ?? '–'}</bdi> },
          { title: 'Status', cell: ({ status }) => <span class={`status status-${status}`}>{statusOf(status)}</span> },
          { title: 'Last sign-in', cell: ({ last_login: at }) => <Time at={at} none="Never" /> },
        ]}
        empty={
          query.size > 0 ? (
            <p>
              Nobody matches. <a href={hrefOf('users')}>Show all users</a>.
            </p>
          ) : (
            <p>
              There are no users yet. Create one here, or bring them with an import: see the guide on importing people.
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
