import { api } from '../../api/api.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { say } from '../../parts/notices.tsx';
import { Section } from '../../parts/screen.tsx';
import { List } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

const query = { limit: 100 };

/** The keys that sign tokens, and how they are replaced. */
export function SigningKeys() {
  const asked = useAnswer(() => api.get('/api/2/signing-keys', { query }), []);
  return (
    <Section
      title="Signing keys"
      actions={
        <>
          <ConfirmButton
            label="Rotate"
            title="Publish the next keys?"
            words="New keys are published now and sign after a while, so that every app has them by then. Nothing ends."
            verb="Rotate"
            act={async () => {
              await api.post('/api/2/signing-keys/rotate', { body: {} });
              await asked.again();
              say('The next keys are published.');
            }}
          />
          <ConfirmButton
            label="Replace at once"
            title="Replace the keys at once?"
            words="For a key that somebody else may have. New keys sign at once; apps refuse tokens until they have them, and tokens of the present keys are not accepted any more. This cannot be undone."
            verb="Replace at once"
            typed="replace"
            act={async () => {
              await api.post('/api/2/signing-keys/emergency', { body: {} });
              await asked.again();
              say('The keys were replaced.');
            }}
          />
        </>
      }
    >
      <List
        caption="Signing keys"
        asked={asked}
        keyOf={({ kid }) => kid}
        columns={[
          { title: 'Key', cell: ({ kid }) => <code>{kid}</code> },
          { title: 'Algorithm', cell: ({ alg }) => alg },
          {
            title: 'State',
            cell: ({ state, rotation_step: step }) => (step === 'overdue' ? `${state}, overdue` : state),
          },
          { title: 'Signs from', cell: ({ signs_from: at }) => <Time at={at} /> },
          { title: 'Signs until', cell: ({ signs_until: at }) => <Time at={at} /> },
          { title: 'Withdrawn', cell: ({ retires_at: at }) => <Time at={at} /> },
        ]}
        empty={<p>No key yet: the first is made when a token is signed.</p>}
      />
    </Section>
  );
}
