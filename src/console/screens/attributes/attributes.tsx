import { useState } from 'preact/hooks';
import { api, ifMatch } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { EditForm } from '../../parts/edit-form.tsx';
import { whole } from '../../parts/pages.ts';
import { Screen, Waiting } from '../../parts/screen.tsx';
import { Things } from '../../parts/things.tsx';
import { may } from '../../session/session.ts';

const fields = [
  { name: 'user_field.name', label: 'Name', kind: 'text' },
  {
    name: 'user_field.shortname',
    label: 'Short name',
    kind: 'text',
    help: 'As programs know it: letters, digits, _ and -.',
  },
  { name: 'user_field.position', label: 'Position among the attributes', kind: 'number', help: 'Empty: the last.' },
] as const;

/** Attributes that the account adds to its users. */
export function Attributes() {
  const asked = useAnswer(() => whole((query) => api.get('/api/2/users/custom_attributes', { query })), []);
  const [edited, setEdited] = useState<number | null>(null);
  const canWrite = may('manage_users');
  return (
    <Screen title="Custom attributes">
      <Things
        title="Attributes of users"
        asked={asked}
        canWrite={canWrite}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        columns={[
          {
            title: 'Name',
            cell: ({ id, name }) =>
              canWrite ? (
                <button type="button" class="plain" onClick={() => setEdited(id)}>
                  <bdi>{name}</bdi>
                </button>
              ) : (
                <bdi>{name}</bdi>
              ),
          },
          { title: 'Short name', cell: ({ shortname }) => <code>{shortname}</code> },
          { title: 'Position', cell: ({ position }) => position },
        ]}
        empty={<p>None yet. An attribute is shown on every user, and hooks and claims can use it.</p>}
        add={{
          label: 'New attribute',
          fields,
          create: (body) =>
            api.post('/api/2/users/custom_attributes', {
              body: body as unknown as Schemas['CustomAttributeCreate'],
            }),
        }}
        remove={{
          verb: 'Delete',
          loss: 'Its values are deleted from all users. This cannot be undone.',
          act: ({ id }) => api.delete('/api/2/users/custom_attributes/{id}', { path: { id } }),
        }}
      />
      {edited !== null && (
        <Edited
          id={edited}
          close={() => {
            setEdited(null);
            void asked.again();
          }}
        />
      )}
    </Screen>
  );
}

function Edited({ id, close }: { readonly id: number; readonly close: () => void }) {
  const path = { id };
  const { answer, again } = useAnswer(() => api.get('/api/2/users/custom_attributes/{id}', { path }), [id]);
  return (
    <Dialog title="Attribute" close={close}>
      {answer ? (
        <EditForm
          fields={fields}
          value={{ user_field: answer.data }}
          canWrite
          verb="Save"
          done="The attribute was saved."
          save={async (body) => {
            const changes = body as unknown as Schemas['CustomAttributeUpdate'];
            await api.put('/api/2/users/custom_attributes/{id}', { path, header: ifMatch(answer.tag), body: changes });
            close();
          }}
          again={again}
        />
      ) : (
        <Waiting />
      )}
    </Dialog>
  );
}
