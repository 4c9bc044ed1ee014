import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Fact } from '../../parts/detail.tsx';
import { ProblemNote, Section, Waiting } from '../../parts/screen.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefOf } from '../../routing/address.ts';
import { PartyName } from './party.tsx';

type Refusal = Schemas['Refusal'];

const form = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The reference that somebody typed, as it is kept; null for a text that is none. */
export function referenceIn(text: string | null): string | null {
  const reference = text?.trim().toLowerCase() ?? '';
  return form.test(reference) ? reference : null;
}

interface RefusalOfProps {
  readonly reference: string;
  /** Whether the trail has nothing of the request, so that the screen has nothing else to say. */
  readonly isAlone: boolean;
}

/** Why the request with this reference was refused, also where the trail has no event of it. */
export function RefusalOf({ reference, isAlone }: RefusalOfProps) {
  const asked = useAnswer(() => api.get('/api/2/refusals/{reference}', { path: { reference } }), [reference]);
  const { answer, problem, again } = asked;
  // Most requests were not refused, and their events say enough.
  const isUnknown = problem?.status === 404;
  if (isUnknown && !isAlone) return null;
  return (
    <Section title="Why it was refused">
      {isUnknown && (
        <p>
          Nothing is known of a refusal with this reference. Refusals of pages are kept for 24 hours, their events for
          ever. Of refused calls of programs the log has the cause.
        </p>
      )}
      {problem && !isUnknown && <ProblemNote problem={problem} again={() => void again()} />}
      {!problem && (answer ? <Told refusal={answer.data} /> : <Waiting />)}
    </Section>
  );
}

function Told({ refusal }: { readonly refusal: Refusal }) {
  const { cause, remedy, created_at: at, source, code, reason, parameter } = refusal;
  const { user_id: userId, app_id: appId, client_id: clientId, redirect_uri: address, hook_id: hook } = refusal;
  return (
    <>
      <p class="verdict verdict-refuses">
        <bdi>{cause}</bdi>
      </p>
      <p>
        <strong>Remedy:</strong> <bdi>{remedy}</bdi>
      </p>
      <dl class="facts">
        <Fact title="When">
          <Time at={at} isExact />
        </Fact>
        <Fact title="From">{source ?? '–'}</Fact>
        <Word title="Failure code" text={code} />
        <Word title="Reason" text={reason} />
        <Word title="Parameter" text={parameter} />
        {userId !== null && (
          <Fact title="User">
            <PartyName party={{ type: 'user', id: userId }} />
          </Fact>
        )}
        {appId !== null && (
          <Fact title="App">
            <PartyName party={{ type: 'app', id: appId }} />
          </Fact>
        )}
        <Word title="Client ID, as sent" text={clientId} />
        <Word title="Redirect URI, as sent" text={address} />
        {hook !== null && (
          <Fact title="Hook">
            <a href={hrefOf(`hooks/${hook}`)}>{hook}</a>
          </Fact>
        )}
      </dl>
    </>
  );
}

function Word({ title, text }: { readonly title: string; readonly text: string | null }) {
  if (text === null) return null;
  return (
    <Fact title={title}>
      <bdi>
        <code>{text}</code>
      </bdi>
    </Fact>
  );
}
