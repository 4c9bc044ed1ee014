import { useState } from 'preact/hooks';
import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { NewButton } from '../../parts/new-button.tsx';
import { Screen } from '../../parts/screen.tsx';
import { beginningWith, Search } from '../../parts/search.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { List } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { go, hrefOf, useAddress } from '../../routing/address.ts';
import { may } from '../../session/session.ts';
import { newAppFields } from './fields.ts';

export function Apps() {
  const { query } = useAddress();
  const { cursor, q } = Object.fromEntries(query);
  const name = beginningWith(q ?? null);
  const asked = useAnswer(
    () => api.get('/api/2/apps', { query: cursor ? { cursor } : { limit: 25, ...(name && { name }) } }),
    [query.toString()],
  );
  const [created, setCreated] = useState<Schemas['App'] | null>(null);
  return (
    <Screen
      title="Apps"
      actions={
        may('manage_all') && (
          <NewButton
            label="New app"
            fields={newAppFields}
            done="The app was created."
            create={async (body) => {
              const { data } = await api.post('/api/2/apps', { body: body as Schemas['AppCreate'] });
              if (data.sso.client_secret === undefined) go(hrefOf(`apps/${data.id}`));
              else setCreated(data);
            }}
          />
        )
      }
    >
      <Search label="Search apps" hint="First letters of a name" text={q ?? ''} />
      <List
        caption="Apps"
        asked={asked}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Name',
            cell: ({ id, name: called }) => (
              <a href={hrefOf(`apps/${id}`)}>
                <bdi>{called}</bdi>
              </a>
            ),
          },
          { title: 'Client ID', cell: ({ client_id: client }) => <code>{client}</code> },
          { title: 'Description', cell: ({ description }) => <bdi>{description ?? '–'}</bdi> },
          { title: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
        ]}
        empty={
          query.size > 0 ? (
            <p>
              No app matches. <a href={hrefOf('apps')}>Show all apps</a>.
            </p>
          ) : (
            <p>There are no apps yet. Create one here, or let a client register itself at /oauth2/register.</p>
          )
        }
      />
      {created && (
        <ShownOnce
          title={`${created.name} was created`}
          values={[
            ['Client ID', created.client_id],
            ['Client secret', created.sso.client_secret ?? ''],
          ]}
          close={() => go(hrefOf(`apps/${created.id}`))}
        />
      )}
    </Screen>
  );
}
