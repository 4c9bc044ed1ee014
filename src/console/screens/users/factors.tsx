import { api } from '../../api/api.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { say } from '../../parts/notices.tsx';
import { Section } from '../../parts/screen.tsx';
import { List } from '../../parts/table.tsx';
import { may } from '../../session/session.ts';

export interface OfUser {
  readonly id: number;
  /** Another one has what is shown read again. */
  readonly turn: number;
}

/** The authenticator apps and passkeys of a user. */
export function UserFactors({ id, turn }: OfUser) {
  const path = { id };
  const asked = useAnswer(() => api.get('/api/2/mfa/users/{id}/devices', { path }), [id, turn]);
  return (
    <Section title="Second factors">
      <List
        caption="Second factors"
        asked={asked}
        keyOf={({ device_id }) => device_id}
        columns={[
          { title: 'Name', cell: ({ user_display_name: name }) => <bdi>{name}</bdi> },
          { title: 'Kind', cell: ({ type_display_name: kind }) => kind },
          {
            title: 'Actions',
            cell: ({ device_id, user_display_name: name }) =>
              may('manage_all') && (
                <ConfirmButton
                  label="Remove"
                  of={name}
                  title={`Remove ${name}?`}
                  words="The user cannot use it at the next sign-in. It cannot be brought back; the user can set up another one."
                  verb="Remove"
                  act={async () => {
                    const device = { id, device_id: Number(device_id) };
                    await api.delete('/api/2/mfa/users/{id}/devices/{device_id}', { path: device });
                    await asked.again();
                    say(`${name} was removed.`);
                  }}
                />
              ),
          },
        ]}
        empty={<p>None. The user can set one up on the account pages, and a policy can demand it.</p>}
      />
    </Section>
  );
}
