import { type Answer, api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { EditForm } from '../../parts/edit-form.tsx';
import { whole } from '../../parts/pages.ts';
import { ProblemNote, Section, Waiting } from '../../parts/screen.tsx';
import { hrefOf } from '../../routing/address.ts';
import { may } from '../../session/session.ts';
import { distinctName } from './words.ts';

export interface UserAccessProps {
  readonly user: Schemas['User'];
  /** Another one has what is shown read again. */
  readonly turn: number;
  readonly save: (body: Record<string, unknown>) => Promise<void>;
  readonly again: () => Promise<void>;
}

const nothing: Answer<readonly Required<Schemas['Role']>[]> = { data: [], tag: null, headers: new Headers() };

/** The roles of a user, the apps that the user may use, and why each. */
export function UserAccess({ user, turn, save, again }: UserAccessProps) {
  // Who reads users alone is refused the roles.
  const roles = useAnswer(
    async () => (may('read_all') ? whole((query) => api.get('/api/2/roles', { query })) : nothing),
    [],
  );
  const apps = useAnswer(() => {
    const path = { id: user.id };
    return whole((query) => api.get('/api/2/users/{id}/apps', { path, query }), { ignore_visibility: true });
  }, [user.id, user.role_ids.join(), turn]);
  const known = roles.answer?.data ?? [];
  const ways = (appId: number) => known.filter((role) => user.role_ids.includes(role.id) && role.apps.includes(appId));
  return (
    <>
      {may('read_all') && (
        <Section title="Roles">
          {roles.problem && <ProblemNote problem={roles.problem} again={() => void roles.again()} />}
          {!roles.answer && !roles.problem && <Waiting />}
          {roles.answer && (
            <EditForm
              fields={[
                {
                  name: 'role_ids',
                  label: 'Roles of this user',
                  kind: 'many',
                  options: known.map(({ id, name }) => [id, name] as const),
                },
              ]}
              value={user}
              canWrite={may('manage_all')}
              verb="Save roles"
              done="The roles were saved."
              save={save}
              again={again}
            />
          )}
        </Section>
      )}
      <Section title="Apps">
        {apps.problem && <ProblemNote problem={apps.problem} again={() => void apps.again()} />}
        {!apps.answer && !apps.problem && <Waiting />}
        {apps.answer?.data.length === 0 && (
          <p class="empty">No app yet. Give the user a role that has one, or assign the user to an app.</p>
        )}
        {apps.answer && apps.answer.data.length > 0 && (
          <ul class="ways">
            {apps.answer.data.map(({ id, name }, _, all) => (
              <li key={id}>
                {may('read_all') ? (
                  <a href={hrefOf(`apps/${id}`)}>
                    <bdi>{distinctName({ id, name }, all)}</bdi>
                  </a>
                ) : (
                  <bdi>{distinctName({ id, name }, all)}</bdi>
                )}
                {may('read_all') && roles.answer && (
                  <span class="quiet">
                    {ways(id).length > 0 ? ' through ' : ' assigned directly'}
                    {ways(id).map((role, index) => (
                      <span key={role.id}>
                        {index > 0 && ', '}
                        <a href={hrefOf(`roles/${role.id}`)}>
                          <bdi>{role.name}</bdi>
                        </a>
                      </span>
                    ))}
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}
