import { useState } from 'preact/hooks';
import { api } from '../../../api/api.ts';
import type { Schemas } from '../../../api/contract.ts';
import { useAnswer } from '../../../api/use-answer.ts';
import { Field, type FieldShape } from '../../../parts/field.tsx';
import { whole } from '../../../parts/pages.ts';
import { ProblemNote, Section } from '../../../parts/screen.tsx';
import { useSending } from '../../../parts/use-sending.ts';
import { distinctName } from '../words.ts';
import { Path } from './path.tsx';
import { methods } from './words.ts';

/** In place of a client id: an app that the list does not have, such as one that expired. */
const another = '\u0000';

type Asked = Readonly<Record<'method' | 'app' | 'client_id' | 'redirect_uri' | 'ip_address', string | null>>;

const first: Asked = { method: 'password', app: null, client_id: null, redirect_uri: null, ip_address: null };

function requestOf({ method, app, client_id: typed, redirect_uri: uri, ip_address }: Asked): Schemas['ExplainRequest'] {
  const client = app === another ? typed : app;
  const given = { method, client_id: client, redirect_uri: app === null ? null : uri, ip_address };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as unknown as ReturnType<
    typeof requestOf
  >;
}

function fieldsOf({ app }: Asked, apps: readonly Schemas['App'][]): readonly FieldShape[] {
  const named = apps.map((app) => [app.client_id, distinctName(app, apps)] as const);
  const choice = [[null, 'The account pages'] as const, ...named, [another, 'An app that is not listed'] as const];
  return [
    { name: 'method', label: 'How', kind: 'choice', options: methods },
    { name: 'app', label: 'App', kind: 'choice', options: choice },
    ...(app === another ? [{ name: 'client_id', label: 'Client ID', kind: 'text' } as const] : []),
    ...(app === null
      ? []
      : [
          {
            name: 'redirect_uri',
            label: 'Redirect URI',
            kind: 'text',
            help: 'As the app sends it. Empty: the first that is registered.',
          } as const,
        ]),
    { name: 'ip_address', label: 'IP address of the user', kind: 'text', help: 'For hooks and limits; may be empty.' },
  ];
}

interface ExplainProps {
  readonly user: Schemas['User'];
  /** After a remedy: reads again what the page shows of the user. */
  readonly again: () => Promise<void>;
}

/** Why this user can or cannot sign in: the decisions of a sign-in, in their order, each with its remedy. */
export function Explain({ user, again }: ExplainProps) {
  const apps = useAnswer(() => whole((query) => api.get('/api/2/apps', { query })), []);
  const [asked, setAsked] = useState(first);
  const [said, setSaid] = useState<{ readonly of: Asked; readonly told: Schemas['Explanation'] } | null>(null);
  const { problem, isBusy, send, drop } = useSending();
  const explain = (of: Asked) => {
    // After a remedy, one that began before it tells what was.
    drop();
    return send(async (isCurrent) => {
      const asking = api.post('/api/2/users/{id}/explain', { path: { id: user.id }, body: requestOf(of) });
      // Nothing is shown of a former one beside what was refused.
      const { data } = await asking.catch((error) => {
        if (isCurrent()) setSaid(null);
        throw error;
      });
      if (isCurrent()) setSaid({ of, told: data });
    });
  };
  return (
    <Section title="Why can this user (not) sign in?">
      <form
        class="stack"
        noValidate
        aria-busy={isBusy}
        onSubmit={(event) => {
          event.preventDefault();
          void explain(asked);
        }}
      >
        <div class="fields">
          {fieldsOf(asked, apps.answer?.data ?? []).map((field) => (
            <Field
              key={field.name}
              field={field}
              canWrite
              value={asked[field.name as keyof Asked]}
              change={(value) => setAsked({ ...asked, [field.name]: value })}
            />
          ))}
        </div>
        <div class="actions">
          <button type="submit" class="primary" disabled={isBusy}>
            Explain
          </button>
        </div>
      </form>
      {problem && <ProblemNote problem={problem} />}
      {said && (
        <Path
          told={said.told}
          user={user}
          redirectUri={said.of.redirect_uri}
          again={async (client) => {
            const of = client === undefined ? said.of : { ...said.of, app: client };
            if (client !== undefined) {
              await apps.again();
              setAsked(of);
            }
            await Promise.all([again(), explain(of)]);
          }}
        />
      )}
    </Section>
  );
}
