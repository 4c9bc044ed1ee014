import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { EditForm } from '../../parts/edit-form.tsx';
import { whole } from '../../parts/pages.ts';
import { ProblemNote, Section, Waiting } from '../../parts/screen.tsx';
import { useAddress } from '../../routing/address.ts';
import { may } from '../../session/session.ts';
import { Members } from '../members.tsx';
import { nameOf } from '../users/words.ts';
import { Reach } from './reach.tsx';

export interface AppAccessProps {
  readonly app: Schemas['App'];
  readonly save: (body: Record<string, unknown>) => Promise<void>;
  readonly again: () => Promise<void>;
}

/** Who may use an app: those with one of its roles, and those who are assigned to it. */
export function AppAccess({ app, save, again }: AppAccessProps) {
  const path = { id: app.id };
  const cursor = useAddress().query.get('cursor');
  const roles = useAnswer(() => whole((query) => api.get('/api/2/roles', { query })), []);
  const users = useAnswer(async () => {
    const answer = await api.get('/api/2/apps/{id}/users', { path, query: cursor ? { cursor } : { limit: 25 } });
    return { ...answer, data: answer.data.map((user) => ({ ...user, title: nameOf(user) })) };
  }, [app.id, cursor]);
  const canWrite = may('manage_all');
  return (
    <>
      {roles.answer && (users.answer ?? users.problem) && (
        <Reach app={app} roles={roles.answer.data} turn={users.answer} />
      )}
      <Section title="Roles that give this app">
        {roles.problem && <ProblemNote problem={roles.problem} again={() => void roles.again()} />}
        {!roles.answer && !roles.problem && <Waiting />}
        {roles.answer && (
          <EditForm
            fields={[
              {
                name: 'role_ids',
                label: 'Everybody with one of these roles may use it',
                kind: 'many',
                options: roles.answer.data.map(({ id, name }) => [id, name] as const),
              },
            ]}
            value={app}
            canWrite={canWrite}
            verb="Save roles"
            done="The roles were saved."
            save={save}
            again={again}
          />
        )}
      </Section>
      <Members
        title="Users of this app"
        asked={users}
        canWrite={canWrite}
        add={(id) => api.post('/api/2/apps/{id}/users', { path, body: [id] })}
        remove={(id) => api.delete('/api/2/apps/{id}/users', { path, body: [id] })}
        loss="What was assigned directly goes. Whoever has the app through a role keeps it."
        empty={<p>Nobody may use this app yet. Choose a role above, or add a user.</p>}
      />
    </>
  );
}
