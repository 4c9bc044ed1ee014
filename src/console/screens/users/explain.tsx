import { useState } from 'preact/hooks';
import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { EditForm } from '../../parts/edit-form.tsx';
import type { FieldShape } from '../../parts/field.tsx';
import { say } from '../../parts/notices.tsx';
import { ProblemNote, Section } from '../../parts/screen.tsx';

const methods = [
  ['password', 'Password, on the sign-in page'],
  ['passkey', 'Passkey, on the sign-in page'],
  ['sso', 'A session that is there'],
  ['device', 'Password, for a device that shows a code'],
  ['delegated', 'The form of another service'],
  ['password_grant', 'Password, sent by the app'],
  ['refresh', 'Refresh token'],
] as const;

const outcomes = {
  passes: 'passes',
  asks: 'asks for more',
  refuses: 'refuses',
  skipped: 'not reached',
  unknown: 'cannot be decided now',
} as const;

export interface ExplainProps {
  readonly user: Schemas['User'];
  /** After a remedy. */
  readonly again: () => Promise<void>;
}

/** Why this user can or cannot sign in: the decisions of a sign-in, in their order, each with its remedy. */
export function Explain({ user, again }: ExplainProps) {
  const path = { id: user.id };
  const apps = useAnswer(() => api.get('/api/2/apps', { query: { limit: 1000 } }), []);
  const [asked, setAsked] = useState<Schemas['ExplainRequest'] | null>(null);
  const [said, setSaid] = useState<Schemas['Explanation'] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const fields: readonly FieldShape[] = [
    { name: 'method', label: 'How', kind: 'choice', options: methods },
    {
      name: 'client_id',
      label: 'App',
      kind: 'choice',
      options: [
        [null, 'The account pages'],
        ...(apps.answer?.data ?? []).map(({ client_id: client, name }) => [client, name] as const),
      ],
    },
    { name: 'redirect_uri', label: 'Redirect URI', kind: 'text', help: 'Empty: the first that is registered.' },
    { name: 'ip_address', label: 'Address of the user', kind: 'text', help: 'For hooks and limits.' },
  ];
  const ask = async (request: Schemas['ExplainRequest']) => {
    const { data } = await api.post('/api/2/users/{id}/explain', { path, body: request });
    setSaid(data);
  };
  return (
    <Section
      title="Why can this user (not) sign in?"
      actions={
        <button
          type="button"
          class="primary"
          onClick={() => {
            const request = asked ?? { method: 'password' as const };
            setAsked(request);
            setProblem(null);
            ask(request).catch((error) => setProblem(problemOf(error)));
          }}
        >
          Explain
        </button>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {asked && (
        <EditForm
          fields={fields}
          value={asked}
          canWrite
          verb="Explain again"
          done="Explained."
          save={async (body) => {
            const given = Object.entries({ ...asked, ...body }).filter(([, value]) => value !== null);
            const request = Object.fromEntries(given) as unknown as Schemas['ExplainRequest'];
            await ask(request);
            setAsked(request);
          }}
        />
      )}
      {asked && said && (
        <ol class="steps" aria-label="Decisions of the sign-in">
          {said.steps.map((step) => (
            <li key={step.step} class={`step step-${step.outcome}`}>
              <p>
                <strong>{step.step.replaceAll('_', ' ')}</strong>{' '}
                <span class="step-outcome">{outcomes[step.outcome]}</span> <code class="detail">{step.cause}</code>
              </p>
              <p>{step.message}</p>
              {step.remedy && (
                <Remedy
                  remedy={step.remedy}
                  isHere={step.remedy.path.startsWith(`/api/2/users/${user.id}/unlock`)}
                  act={async () => {
                    await api.post('/api/2/users/{id}/unlock', { path, body: {} });
                    await again();
                    await ask(asked);
                    say('Done, and explained again.');
                  }}
                />
              )}
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

interface RemedyProps {
  readonly remedy: NonNullable<Schemas['ExplainRemedy']>;
  /** Whether it needs nothing to be chosen. */
  readonly isHere: boolean;
  readonly act: () => Promise<void>;
}

function Remedy({ remedy: { method, path, body }, isHere, act }: RemedyProps) {
  if (isHere) {
    return (
      <ConfirmButton
        label="Unlock"
        title="Unlock the user?"
        words="The user can sign in again at once, and the count of wrong passwords begins anew."
        verb="Unlock"
        act={act}
      />
    );
  }
  return (
    <p class="quiet">
      Remedy:{' '}
      <code>
        {method} {path} {JSON.stringify(body)}
      </code>
    </p>
  );
}
