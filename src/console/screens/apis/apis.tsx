import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { NewButton } from '../../parts/new-button.tsx';
import { Screen } from '../../parts/screen.tsx';
import { List } from '../../parts/table.tsx';
import { go, hrefOf, useAddress } from '../../routing/address.ts';
import { newApiFields } from './fields.ts';

/** The authorization servers of the account's APIs. Only `manage_all` sees them. */
export function Apis() {
  const cursor = useAddress().query.get('cursor');
  const asked = useAnswer(
    () => api.get('/api/2/api_authorizations', { query: cursor ? { cursor } : { limit: 25 } }),
    [cursor],
  );
  return (
    <Screen
      title="APIs"
      actions={
        <NewButton
          label="New API"
          fields={newApiFields}
          done="The API was created."
          create={async (body) => {
            const created = await api.post('/api/2/api_authorizations', {
              body: body as Schemas['ApiAuthorizationCreate'],
            });
            go(hrefOf(`apis/${created.data.id}`));
          }}
        />
      }
    >
      <List
        caption="APIs"
        asked={asked}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Name',
            cell: ({ id, name }) => (
              <a href={hrefOf(`apis/${id}`)}>
                <bdi>{name}</bdi>
              </a>
            ),
          },
          { title: 'Identifier', cell: ({ configuration }) => <code>{configuration.resource_identifier}</code> },
          { title: 'Description', cell: ({ description }) => <bdi>{description ?? '–'}</bdi> },
        ]}
        empty={<p>No API yet. Describe one here, and its clients get tokens with its scopes and claims.</p>}
      />
    </Screen>
  );
}
