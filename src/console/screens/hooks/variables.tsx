import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import type { FieldShape } from '../../parts/field.tsx';
import { NewButton } from '../../parts/new-button.tsx';
import { Things } from '../../parts/things.tsx';
import { Time } from '../../parts/time.tsx';

const value: FieldShape = { name: 'value', label: 'Value', kind: 'secret', help: 'It is not shown again.' };

/** Values that functions read from their environment, such as keys of other services. */
export function Variables() {
  const asked = useAnswer(() => api.get('/api/2/hooks/envs', { query: { limit: 100 } }), []);
  return (
    <Things
      title="Variables"
      asked={asked}
      canWrite
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      columns={[
        { title: 'Name', cell: ({ name }) => <code>{name}</code> },
        { title: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
        {
          title: 'Value',
          cell: ({ id, name }) => (
            <NewButton
              label="Set"
              title={`Set the value of ${name}`}
              isPlain
              verb="Set"
              fields={[value]}
              done={`${name} was set.`}
              create={async (body) => {
                const changes = body as Schemas['HookVariableUpdate'];
                await api.put('/api/2/hooks/envs/{id}', { path: { id }, body: changes });
                await asked.again();
              }}
            />
          ),
        },
      ]}
      empty={<p>None yet. Functions read them from their environment; their values are shown to nobody.</p>}
      add={{
        label: 'New variable',
        fields: [{ name: 'name', label: 'Name', kind: 'text' }, value],
        create: (body) => api.post('/api/2/hooks/envs', { body: body as Schemas['HookVariableCreate'] }),
      }}
      remove={{
        verb: 'Delete',
        loss: 'Functions do not find it any more from their next run on. This cannot be undone.',
        act: ({ id }) => api.delete('/api/2/hooks/envs/{id}', { path: { id } }),
      }}
    />
  );
}
