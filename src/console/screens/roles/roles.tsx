import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { NewButton } from '../../parts/new-button.tsx';
import { Screen } from '../../parts/screen.tsx';
import { beginningWith, Search } from '../../parts/search.tsx';
import { List } from '../../parts/table.tsx';
import { go, hrefOf, useAddress } from '../../routing/address.ts';
import { may } from '../../session/session.ts';

export function Roles() {
  const { query } = useAddress();
  const { cursor, q } = Object.fromEntries(query);
  const name = beginningWith(q ?? null);
  const asked = useAnswer(
    () => api.get('/api/2/roles', { query: cursor ? { cursor } : { limit: 25, ...(name && { name }) } }),
    [query.toString()],
  );
  return (
    <Screen
      title="Roles"
      actions={
        may('manage_all') && (
          <NewButton
            label="New role"
            fields={[{ name: 'name', label: 'Name', kind: 'text' }]}
            done="The role was created."
            create={async (body) => {
              const { data } = await api.post('/api/2/roles', { body: body as Schemas['RoleCreate'] });
              go(hrefOf(`roles/${data.id}`));
            }}
          />
        )
      }
    >
      <Search label="Search roles" hint="First letters of a name" text={q ?? ''} />
      <List
        caption="Roles"
        asked={asked}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Name',
            cell: ({ id, name: called }) => (
              <a href={hrefOf(`roles/${id}`)}>
                <bdi>{called}</bdi>
              </a>
            ),
          },
          { title: 'Users', cell: ({ users }) => users.length },
          { title: 'Apps', cell: ({ apps }) => apps.length },
        ]}
        empty={<p>No role yet. A role gives everybody who has it the same apps.</p>}
      />
    </Screen>
  );
}
