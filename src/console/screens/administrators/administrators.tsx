import { useState } from 'preact/hooks';
import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { EditForm } from '../../parts/edit-form.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Things } from '../../parts/things.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefOf } from '../../routing/address.ts';
import { FindUser } from '../users/find-user.tsx';
import { nameOf } from '../users/words.ts';

const scopes = {
  name: 'scopes',
  label: 'What the administrator may do',
  kind: 'many',
  options: [
    ['manage_all', 'Everything'],
    ['read_all', 'Read everything but secrets'],
    ['manage_users', 'Read and change users'],
    ['read_users', 'Read users'],
  ],
} as const;

const most = 100;

interface Row {
  readonly user_id: number;
  readonly title: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
}

/** Users to whom scopes of the management API are given. */
export function Administrators() {
  const asked = useAnswer(readAll, []);
  const [edited, setEdited] = useState<Omit<Row, 'created_at'> | null>(null);
  const [isFinding, setIsFinding] = useState(false);
  return (
    <Screen
      title="Administrators"
      actions={
        <button type="button" class="primary" onClick={() => setIsFinding(true)}>
          New administrator
        </button>
      }
    >
      <Things
        title="Who may use the console"
        asked={asked}
        canWrite
        keyOf={({ user_id: id }) => id}
        nameOf={({ title }) => title}
        columns={[
          {
            title: 'Name',
            cell: ({ user_id: id, title }) => (
              <a href={hrefOf(`users/${id}`)}>
                <bdi>{title}</bdi>
              </a>
            ),
          },
          {
            title: 'Scopes',
            cell: (row) => (
              <>
                {row.scopes.join(', ')}{' '}
                <button
                  type="button"
                  class="plain"
                  aria-label={`Change the scopes of ${row.title}`}
                  onClick={() => setEdited(row)}
                >
                  Change
                </button>
              </>
            ),
          },
          { title: 'Since', cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
        empty={<p>No user is an administrator yet.</p>}
        remove={{
          verb: 'Remove',
          loss: 'The user keeps the account, and the next call at the console is refused.',
          act: ({ user_id: id }) => api.delete('/api/2/administrators/{user_id}', { path: { user_id: id } }),
        }}
      />
      {isFinding && (
        <FindUser
          title="Who becomes an administrator?"
          close={() => setIsFinding(false)}
          choose={async ({ id, title }) => {
            setIsFinding(false);
            setEdited({ user_id: id, title, scopes: [] });
          }}
        />
      )}
      {edited && (
        <Dialog title={edited.title} close={() => setEdited(null)}>
          <EditForm
            fields={[scopes]}
            value={edited}
            canWrite
            verb="Save"
            done="The administrator was saved."
            save={async (body) => {
              const path = { user_id: edited.user_id };
              await api.put('/api/2/administrators/{user_id}', { path, body: body as Schemas['AdministratorInput'] });
              await asked.again();
              setEdited(null);
            }}
          />
        </Dialog>
      )}
    </Screen>
  );
}

/** With the names of the users, which the list does not have. */
async function readAll() {
  const answer = await api.get('/api/2/administrators', { query: { limit: most } });
  const ids = answer.data.map(({ user_id: id }) => id).join();
  const users = ids === '' ? [] : (await api.get('/api/2/users', { query: { user_ids: ids, limit: most } })).data;
  const titles = new Map(users.map((user) => [user.id, nameOf(user)]));
  const rows: readonly Row[] = answer.data.map((one) => {
    return { ...one, title: titles.get(one.user_id) ?? `User ${one.user_id}` };
  });
  return { ...answer, data: rows };
}
