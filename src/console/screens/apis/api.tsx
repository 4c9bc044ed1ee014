import { api, ifMatch } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Detail } from '../../parts/detail.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { EditForm } from '../../parts/edit-form.tsx';
import { say } from '../../parts/notices.tsx';
import { Screen, Section } from '../../parts/screen.tsx';
import { go, hrefOf } from '../../routing/address.ts';
import { apiFields } from './fields.ts';
import { ApiClaims, ApiClients, ApiScopes } from './lists.tsx';

const above = { title: 'APIs', href: hrefOf('apis') };

export function ApiScreen({ id }: { readonly id: string }) {
  const path = { id: Number(id) };
  const asked = useAnswer(() => api.get('/api/2/api_authorizations/{id}', { path }), [id]);
  return (
    <Detail title="API" above={above} asked={asked}>
      {({ data: server, tag }) => (
        <Screen
          title={server.name}
          above={above}
          actions={
            <ConfirmButton
              label="Delete"
              title={`Delete ${server.name}?`}
              words="It goes with its scopes, claims and links; no client gets tokens for it. This cannot be undone."
              verb="Delete"
              typed={server.name}
              act={async () => {
                await api.delete('/api/2/api_authorizations/{id}', { path, header: ifMatch(tag) });
                go(hrefOf('apis'));
                say(`${server.name} was deleted.`);
              }}
            />
          }
        >
          <Section title="Settings">
            <EditForm
              fields={apiFields}
              value={server}
              canWrite
              verb="Save"
              done="The API was saved."
              save={async (body) => {
                const changes = body as Schemas['ApiAuthorizationUpdate'];
                await api.put('/api/2/api_authorizations/{id}', { path, header: ifMatch(tag), body: changes });
                await asked.again();
              }}
              again={asked.again}
            />
          </Section>
          <ApiScopes id={server.id} />
          <ApiClaims id={server.id} />
          <ApiClients id={server.id} />
        </Screen>
      )}
    </Detail>
  );
}
