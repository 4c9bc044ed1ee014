import { useState } from 'preact/hooks';
import { api, ifMatch } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Detail, Fact } from '../../parts/detail.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { EditForm } from '../../parts/edit-form.tsx';
import { say } from '../../parts/notices.tsx';
import { whole } from '../../parts/pages.ts';
import { Screen, Section } from '../../parts/screen.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { Time } from '../../parts/time.tsx';
import { go, hrefOf } from '../../routing/address.ts';
import { may } from '../../session/session.ts';
import { policyChoice } from '../policies/choice.ts';
import { AppAccess } from './access.tsx';
import { appFields } from './fields.ts';
import { Snippets } from './snippets.tsx';

const above = { title: 'Apps', href: hrefOf('apps') };

export function AppScreen({ id }: { readonly id: string }) {
  const path = { id: Number(id) };
  const asked = useAnswer(() => api.get('/api/2/apps/{id}', { path }), [id]);
  const policies = useAnswer(() => whole((query) => api.get('/api/2/policies', { query })), []);
  const canWrite = may('manage_all');
  return (
    <Detail title="App" above={above} asked={asked}>
      {({ data: app, tag }) => {
        const save = async (body: Record<string, unknown>) => {
          await api.put('/api/2/apps/{id}', { path, header: ifMatch(tag), body: body as Schemas['AppUpdate'] });
          await asked.again();
        };
        const policy = policyChoice(policies.answer?.data ?? []);
        return (
          <Screen title={app.name} above={above} actions={canWrite && <AppActions app={app} tag={tag} />}>
            <dl class="facts">
              <Fact title="Client ID">
                <code>{app.client_id}</code>
              </Fact>
              <Fact title="Created">
                <Time at={app.created_at} />
              </Fact>
              <Fact title="Changed">
                <Time at={app.updated_at} />
              </Fact>
            </dl>
            <Section title="Settings">
              <EditForm
                fields={[...appFields.slice(0, 4), policy, ...appFields.slice(4)]}
                value={app}
                canWrite={canWrite}
                verb="Save"
                done="The app was saved."
                save={save}
                again={asked.again}
              />
            </Section>
            <AppAccess app={app} save={save} again={asked.again} />
            <Snippets app={app} />
          </Screen>
        );
      }}
    </Detail>
  );
}

function AppActions({ app, tag }: { readonly app: Schemas['App']; readonly tag: string | null }) {
  const path = { id: app.id };
  const [secret, setSecret] = useState<string | null>(null);
  const hasSecret = [0, 1].includes(app.configuration.token_endpoint_auth_method);
  return (
    <>
      {hasSecret && (
        <ConfirmButton
          label="New secret"
          title={`A new secret for ${app.name}?`}
          words="The former secret stays valid for an hour, so that the app can be changed meanwhile."
          verb="Make a new secret"
          act={async () => {
            const { data } = await api.post('/api/2/apps/{id}/secret', { path, body: {} });
            setSecret(data.client_secret);
          }}
        />
      )}
      <ConfirmButton
        label="Delete"
        title={`Delete ${app.name}?`}
        words="The app goes with its client, tokens and assignments. Nobody can sign in to it. This cannot be undone."
        verb="Delete"
        typed={app.name}
        act={async () => {
          await api.delete('/api/2/apps/{id}', { path, header: ifMatch(tag) });
          go(hrefOf('apps'));
          say(`${app.name} was deleted.`);
        }}
      />
      {secret !== null && (
        <ShownOnce
          title={`The new secret of ${app.name}`}
          values={[
            ['Client ID', app.client_id],
            ['Client secret', secret],
          ]}
          close={() => setSecret(null)}
        />
      )}
    </>
  );
}
