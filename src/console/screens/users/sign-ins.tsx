import { api } from '../../api/api.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { say } from '../../parts/notices.tsx';
import { whole } from '../../parts/pages.ts';
import { Things } from '../../parts/things.tsx';
import { Time } from '../../parts/time.tsx';

interface OfUser {
  readonly id: number;
  /** Another one after what may have ended some of them. */
  readonly turn: number;
}

/** Where a user is signed in, what the user has allowed, and what apps may do: each with its end. */
export function UserSignIns({ id, turn }: OfUser) {
  return (
    <>
      <Sessions id={id} turn={turn} />
      <Consents id={id} turn={turn} />
      <Grants id={id} turn={turn} />
    </>
  );
}

function Sessions({ id, turn }: OfUser) {
  const path = { id };
  const asked = useAnswer(() => whole((query) => api.get('/api/2/users/{id}/sessions', { path, query })), [id, turn]);
  return (
    <Things
      title="Sessions"
      asked={asked}
      canWrite
      actions={
        asked.answer &&
        asked.answer.data.length > 1 && (
          <ConfirmButton
            label="End all sessions"
            title="End all sessions?"
            words="Every browser of the user is signed out."
            verb="End all"
            act={async () => {
              await api.delete('/api/2/users/{id}/sessions', { path });
              await asked.again();
              say('All sessions were ended.');
            }}
          />
        )
      }
      keyOf={(session) => session.id}
      nameOf={({ opened_at: at }) => `the session of ${at}`}
      columns={[
        { title: 'Signed in', cell: ({ opened_at: at }) => <Time at={at} /> },
        { title: 'Last used', cell: ({ last_used_at: at }) => <Time at={at} /> },
        { title: 'From', cell: ({ ip_address: address }) => address ?? '–' },
        { title: 'Browser', cell: ({ user_agent: agent }) => <bdi>{agent ?? '–'}</bdi> },
        { title: 'By', cell: ({ amr }) => amr.join(', ') },
        { title: 'Apps', cell: ({ apps }) => <bdi>{apps.map(({ name }) => name).join(', ') || '–'}</bdi> },
      ]}
      empty={<p>The user is signed in nowhere.</p>}
      remove={{
        verb: 'End',
        loss: 'The browser is signed out, and the apps of the session are told.',
        act: (session) =>
          api.delete('/api/2/users/{id}/sessions/{session_id}', { path: { id, session_id: session.id } }),
      }}
    />
  );
}

function Consents({ id, turn }: OfUser) {
  const path = { id };
  const asked = useAnswer(() => whole((query) => api.get('/api/2/users/{id}/consents', { path, query })), [id, turn]);
  return (
    <Things
      title="Consents"
      asked={asked}
      canWrite
      keyOf={({ app_id: app }) => app}
      nameOf={({ app_name: name }) => name}
      columns={[
        { title: 'App', cell: ({ app_name: name }) => <bdi>{name}</bdi> },
        { title: 'Allowed', cell: ({ scopes }) => <code>{scopes.join(' ')}</code> },
        { title: 'When', cell: ({ allowed_at: at }) => <Time at={at} /> },
      ]}
      empty={<p>The user has given no consent yet.</p>}
      remove={{
        verb: 'Withdraw',
        loss: 'The app loses its tokens, and the user is asked again.',
        act: ({ app_id: app }) => api.delete('/api/2/users/{id}/consents/{app_id}', { path: { id, app_id: app } }),
      }}
    />
  );
}

function Grants({ id, turn }: OfUser) {
  const path = { id };
  const asked = useAnswer(() => whole((query) => api.get('/api/2/users/{id}/grants', { path, query })), [id, turn]);
  return (
    <Things
      title="Grants"
      asked={asked}
      canWrite
      keyOf={(grant) => grant.id}
      nameOf={({ app_name: name, id: grant }) => `${name} (${grant})`}
      columns={[
        { title: 'App', cell: ({ app_name: name }) => <bdi>{name}</bdi> },
        { title: 'Scopes', cell: ({ scopes }) => <code>{scopes.join(' ')}</code> },
        { title: 'Given', cell: ({ created_at: at }) => <Time at={at} /> },
        { title: 'Last refreshed', cell: ({ last_used_at: at }) => <Time at={at} none="Never" /> },
        { title: 'Ends', cell: ({ expires_at: at }) => <Time at={at} /> },
      ]}
      empty={<p>No app holds a grant of the user.</p>}
      remove={{
        verb: 'Revoke',
        loss: 'The tokens of the app end at once.',
        act: ({ id: grant }) => api.delete('/api/2/users/{id}/grants/{grant_id}', { path: { id, grant_id: grant } }),
      }}
    />
  );
}
