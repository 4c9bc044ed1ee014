import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { NewButton } from '../../parts/new-button.tsx';
import { Screen } from '../../parts/screen.tsx';
import { List } from '../../parts/table.tsx';
import { go, hrefOf, useAddress } from '../../routing/address.ts';
import { may } from '../../session/session.ts';
import { policyFields } from './fields.ts';

export function Policies() {
  const cursor = useAddress().query.get('cursor');
  const asked = useAnswer(() => api.get('/api/2/policies', { query: cursor ? { cursor } : { limit: 25 } }), [cursor]);
  return (
    <Screen
      title="Policies"
      actions={
        may('manage_all') && (
          <NewButton
            label="New policy"
            fields={policyFields.filter(({ name }) => name === 'name')}
            done="The policy was created."
            create={async (body) => {
              const { data } = await api.post('/api/2/policies', { body: body as Schemas['PolicyCreate'] });
              go(hrefOf(`policies/${data.id}`));
            }}
          />
        )
      }
    >
      <List
        caption="Policies"
        asked={asked}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Name',
            cell: ({ id, name }) => (
              <a href={hrefOf(`policies/${id}`)}>
                <bdi>{name}</bdi>
              </a>
            ),
          },
          { title: 'Applies', cell: ({ is_default: isDefault }) => (isDefault ? 'by default' : 'where it is chosen') },
          { title: 'Minimum password length', cell: ({ minimum_password_length: length }) => length },
          { title: 'Session (minutes)', cell: ({ session_absolute_minutes: minutes }) => minutes },
          { title: 'Second factor', cell: ({ otp_required: required }) => (required ? 'required' : 'not required') },
        ]}
        empty={<p>No policy yet.</p>}
      />
    </Screen>
  );
}
