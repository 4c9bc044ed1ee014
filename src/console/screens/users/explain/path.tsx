import { useEffect, useRef } from 'preact/hooks';
import type { Schemas } from '../../../api/contract.ts';
import { hrefOf } from '../../../routing/address.ts';
import { nameOf } from '../words.ts';
import { Remedy } from './remedy.tsx';
import { adviceFor, decisiveOf, outcomeOf, type Step, steps, verdicts } from './words.ts';

export interface PathProps {
  readonly told: Schemas['Explanation'];
  readonly user: Schemas['User'];
  readonly redirectUri: string | null;
  /** Explains again, after a remedy; for another client where one was made. */
  readonly again: (client?: string) => Promise<void>;
}

/** The path of a sign-in through its decisions: what it comes to, and where. */
export function Path({ told, user, redirectUri, again }: PathProps) {
  const decisive = decisiveOf(told);
  const about = { user, name: nameOf(user), redirectUri };
  const verdict = useRef<HTMLParagraphElement>(null);
  const isMended = useRef(false);
  useEffect(() => {
    // The button of the remedy, which had the focus, is gone.
    if (isMended.current) verdict.current?.focus();
    isMended.current = false;
  }, [told]);
  const mended = (client?: string) => {
    isMended.current = true;
    return again(client);
  };
  return (
    <>
      <p ref={verdict} tabIndex={-1} class={`verdict verdict-${told.outcome}`} role="status">
        <strong>{verdicts[told.outcome]}</strong> {decisive?.message}
      </p>
      <ol class="path" aria-label="Decisions of the sign-in">
        {told.steps.map((step) => (
          <li key={step.step} class={`step step-${step.outcome}`} aria-current={step === decisive ? 'step' : undefined}>
            <Mark outcome={step.outcome} />
            <div class="step-said">
              <p>
                <strong>{steps[step.step]}</strong> <span class="step-outcome">{outcomeOf(step)}</span>{' '}
                <code class="detail">{step.cause}</code>
              </p>
              <p>
                {step.message} {adviceFor(step)}
              </p>
              <Concerned step={step} />
              {step.remedy && <Remedy remedy={step.remedy} about={about} again={mended} />}
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

/** A link to what the remedy would change, where it has a screen. */
function Concerned({ step: { remedy } }: { readonly step: Step }) {
  const found = /^\/api\/2\/(apps|policies)\/(\d+)/.exec(remedy?.path ?? '');
  if (!found) return null;
  return (
    <p>
      <a href={hrefOf(`${found[1]}/${found[2]}`)}>{found[1] === 'apps' ? 'Show the app' : 'Show the policy'}</a>
    </p>
  );
}

/** Drawn, so that no font has to have it; the words beside it say the same. */
const marks: Readonly<Record<Step['outcome'], string>> = {
  passes: 'M5 10.5l3.5 3.5L15 6.5',
  asks: 'M10 5.5v5.5M10 14v.6',
  refuses: 'M6 6l8 8M14 6l-8 8',
  skipped: 'M6 10h8',
  unknown: 'M7.5 8a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.8-1.1 1.6M10 14.4v.6',
};

function Mark({ outcome }: Pick<Step, 'outcome'>) {
  return (
    <svg class="mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d={marks[outcome]} />
    </svg>
  );
}
