import { useEffect, useRef, useState } from 'preact/hooks';
import { type Answer, api } from '../api/api.ts';
import type { Schemas } from '../api/contract.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Filters } from '../parts/filters.tsx';
import { Screen } from '../parts/screen.tsx';
import { List } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { hrefOf, setQuery, useAddress } from '../routing/address.ts';
import { may } from '../session/session.ts';
import { NewUser } from './new-user.tsx';
import { searchUsers } from './search-users.ts';
import { nameOf, statuses, statusOf } from './user-words.ts';

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

export function Users() {
  const { query } = useAddress();
  const asked = useAnswer(() => ask(query), [query.toString()]);
  const [isNew, setIsNew] = useState(false);
  return (
    <Screen
      title="Users"
      actions={
        may('manage_users') && (
          <button type="button" class="primary" onClick={() => setIsNew(true)}>
            New user
          </button>
        )
      }
    >
      <Search text={query.get('q') ?? ''} />
      <Filters filters={filters} query={query} />
      <List
        caption="Users"
        asked={asked}
        keyOf={({ id }: User) => id}
        columns={[
          {
            title: 'Name',
            cell: (user) => (
              <a href={hrefOf(`users/${user.id}`)}>
                <bdi>{nameOf(user)}</bdi>
              </a>
            ),
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
      {isNew && <NewUser close={() => setIsNew(false)} />}
    </Screen>
  );
}

/** Asks when the typing pauses, and keeps the text in the address bar. */
function Search({ text }: { readonly text: string }) {
  const [typed, setTyped] = useState(text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setTyped(text), [text]);
  return (
    <search class="search">
      <label class="unseen" for="user-search">
        Search users
      </label>
      <input
        id="user-search"
        type="search"
        placeholder="First letters of a name or an e-mail address ( / )"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={({ currentTarget: { value } }) => {
          setTyped(value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => setQuery({ q: value.trim() }, 'replace'), 200);
        }}
      />
    </search>
  );
}
