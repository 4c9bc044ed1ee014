import { useState } from 'preact/hooks';
import type { Schemas } from '../../../api/contract.ts';
import { ConfirmButton } from '../../../parts/dialog.tsx';
import { NewButton } from '../../../parts/new-button.tsx';
import { say } from '../../../parts/notices.tsx';
import { ShownOnce } from '../../../parts/shown-once.tsx';
import { may } from '../../../session/session.ts';
import type { About, Told } from './action.ts';
import { actionOf } from './remedies.ts';

interface RemedyProps {
  readonly remedy: NonNullable<Schemas['ExplainRemedy']>;
  readonly about: About;
  readonly again: (client?: string) => Promise<void>;
}

/** The call that would change a step, as a button where the administrator may make it. */
export function Remedy({ remedy, about, again }: RemedyProps) {
  const [told, setTold] = useState<Told | null>(null);
  const action = actionOf(remedy, about);
  const call = (
    <code class="detail">
      {remedy.method} {remedy.path}
    </code>
  );
  if (!action || !may(...action.scopes)) return <p class="quiet">Remedy: {call}</p>;
  const act = async (chosen: Readonly<Record<string, unknown>>) => {
    const answered = await action.act(chosen);
    if (answered) setTold(answered);
    else await done();
  };
  const done = async (client?: string) => {
    await again(client);
    say('Done, and explained again.');
  };
  const { label, title, words } = action;
  return (
    <div class="remedy">
      {action.fields ? (
        <NewButton
          label={label}
          fields={action.fields}
          value={action.value}
          words={words}
          verb={label}
          isPlain
          done="Done."
          create={act}
        />
      ) : (
        <ConfirmButton label={label} title={title} words={words} verb={label} isLoss={false} act={() => act({})} />
      )}
      {call}
      {told && (
        <ShownOnce
          title={told.title}
          values={told.values}
          close={() => {
            setTold(null);
            void done(told.clientId);
          }}
        />
      )}
    </div>
  );
}
