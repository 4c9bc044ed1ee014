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
import { Time } from '../../parts/time.tsx';
import { go, hrefOf } from '../../routing/address.ts';
import { may } from '../../session/session.ts';
import { UserAccess } from './access.tsx';
import { Explain } from './explain/explain.tsx';
import { UserFactors } from './factors.tsx';
import { profileFields } from './fields.ts';
import { UserHistory } from './history.tsx';
import { Invite } from './invite.tsx';
import { UserSignIns } from './sign-ins.tsx';
import { nameOf, statusOf } from './words.ts';

const above = { title: 'Users', href: hrefOf('users') };

export function UserScreen({ id }: { readonly id: string }) {
  const path = { id: Number(id) };
  const asked = useAnswer(() => api.get('/api/2/users/{id}', { path }), [id]);
  const attributes = useAnswer(() => whole((query) => api.get('/api/2/users/custom_attributes', { query })), []);
  const { answer, again } = asked;
  /** Grows with each remedy: what belongs to the user is read again. */
  const [turn, setTurn] = useState(0);
  if (!answer)
    return (
      <Detail title="User" above={above} asked={asked}>
        {() => null}
      </Detail>
    );
  const { data: user, tag } = answer;
  const canWrite = may('manage_users');
  const save = async (body: Record<string, unknown>) => {
    await api.put('/api/2/users/{id}', { path, header: ifMatch(tag), body: body as Schemas['UserInput'] });
    await again();
  };
  const fields = [
    ...profileFields,
    ...(attributes.answer?.data ?? []).map(({ name, shortname }) => {
      return { name: `custom_attributes.${shortname}`, label: name, kind: 'text' } as const;
    }),
  ];
  return (
    <Screen
      title={nameOf(user)}
      above={above}
      actions={canWrite && <UserActions user={user} tag={tag} again={again} />}
    >
      <dl class="facts">
        <Fact title="Status">
          <span class={`status status-${user.status}`}>{statusOf(user.status)}</span>
        </Fact>
        <Fact title="Last sign-in">
          <Time at={user.last_login} none="Never" />
        </Fact>
        <Fact title="Password set">
          <Time at={user.password_changed_at} none="No password" />
        </Fact>
        <Fact title="Wrong passwords in a row">{user.invalid_login_attempts}</Fact>
        {user.locked_until && (
          <Fact title="Sign-in paused until">
            <Time at={user.locked_until} />
          </Fact>
        )}
        <Fact title="Created">
          <Time at={user.created_at} />
        </Fact>
      </dl>
      <Section title="Profile">
        <EditForm
          fields={fields}
          value={user}
          canWrite={canWrite}
          verb="Save"
          done="The user was saved."
          save={save}
          again={again}
        />
      </Section>
      {may('manage_all') && (
        <Explain
          user={user}
          again={async () => {
            setTurn((before) => before + 1);
            await again();
          }}
        />
      )}
      <UserAccess user={user} turn={turn} save={save} again={again} />
      {may('read_all') && <UserFactors id={user.id} turn={turn} />}
      {may('manage_all') && <UserSignIns id={user.id} turn={turn} />}
      {may('read_all') && <UserHistory id={user.id} turn={turn} />}
    </Screen>
  );
}

interface ActionsProps {
  readonly user: Schemas['User'];
  readonly tag: string | null;
  readonly again: () => Promise<void>;
}

function UserActions({ user, tag, again }: ActionsProps) {
  const path = { id: user.id };
  const name = nameOf(user);
  return (
    <>
      {(user.status === 3 || user.locked_until !== null) && (
        <ConfirmButton
          label="Unlock"
          title={`Unlock ${name}?`}
          words="The user can sign in again at once, and the count of wrong passwords begins anew."
          verb="Unlock"
          isLoss={false}
          act={async () => {
            await api.post('/api/2/users/{id}/unlock', { path, body: {} });
            await again();
            say('The user was unlocked.');
          }}
        />
      )}
      {may('manage_all') && <Invite user={user} again={again} />}
      <ConfirmButton
        label="Delete"
        title={`Delete ${name}?`}
        words="The user goes with all sessions, grants, roles and access. This cannot be undone."
        verb="Delete"
        typed={user.email ?? user.username ?? String(user.id)}
        act={async () => {
          await api.delete('/api/2/users/{id}', { path, header: ifMatch(tag) });
          go(hrefOf('users'));
          say(`${name} was deleted.`);
        }}
      />
    </>
  );
}
