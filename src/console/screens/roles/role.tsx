import { api, ifMatch } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Detail } from '../../parts/detail.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { EditForm } from '../../parts/edit-form.tsx';
import { say } from '../../parts/notices.tsx';
import { whole } from '../../parts/pages.ts';
import { Screen, Section } from '../../parts/screen.tsx';
import { go, hrefOf, useAddress } from '../../routing/address.ts';
import { may } from '../../session/session.ts';
import { Members } from '../members.tsx';
import { RolePolicy } from './policy.tsx';

const above = { title: 'Roles', href: hrefOf('roles') };

export function RoleScreen({ id }: { readonly id: string }) {
  const path = { id: Number(id) };
  const cursor = useAddress().query.get('cursor');
  const asked = useAnswer(() => api.get('/api/2/roles/{id}', { path }), [id]);
  const apps = useAnswer(() => whole((query) => api.get('/api/2/apps', { query })), []);
  const users = useAnswer(async () => {
    const answer = await api.get('/api/2/roles/{id}/users', { path, query: cursor ? { cursor } : { limit: 25 } });
    const titled = answer.data.map(({ id: user, name, email, username }) => {
      return { id: user, title: name || email || username || `User ${user}`, email };
    });
    return { ...answer, data: titled };
  }, [id, cursor]);
  const canWrite = may('manage_all');
  return (
    <Detail title="Role" above={above} asked={asked}>
      {({ data: role, tag }) => (
        <Screen
          title={role.name}
          above={above}
          actions={
            canWrite && (
              <ConfirmButton
                label="Delete"
                title={`Delete ${role.name}?`}
                words="Everybody who has it loses what only this role gives. This cannot be undone."
                verb="Delete"
                typed={role.name}
                act={async () => {
                  await api.delete('/api/2/roles/{id}', { path, header: ifMatch(tag) });
                  go(hrefOf('roles'));
                  say(`${role.name} was deleted.`);
                }}
              />
            )
          }
        >
          <Section title="Role">
            <EditForm
              fields={[
                { name: 'name', label: 'Name', kind: 'text' },
                {
                  name: 'apps',
                  label: 'Apps that it gives',
                  kind: 'many',
                  options: (apps.answer?.data ?? []).map(({ id: app, name }) => [app, name] as const),
                },
              ]}
              value={role}
              canWrite={canWrite}
              verb="Save"
              done="The role was saved."
              save={async (body) => {
                await api.put('/api/2/roles/{id}', { path, header: ifMatch(tag), body: body as Schemas['RoleUpdate'] });
                await asked.again();
              }}
              again={asked.again}
            />
          </Section>
          <RolePolicy id={role.id} />
          <Members
            title="Users with this role"
            asked={users}
            canWrite={canWrite}
            add={(user) => api.post('/api/2/roles/{id}/users', { path, body: [user] }).then(asked.again)}
            remove={(user) => api.delete('/api/2/roles/{id}/users', { path, body: [user] }).then(asked.again)}
            loss="The user loses the apps that only this role gives."
            empty={<p>Nobody has this role yet. Add a user here.</p>}
          />
        </Screen>
      )}
    </Detail>
  );
}
