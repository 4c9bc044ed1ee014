import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Fact } from '../../parts/detail.tsx';
import { ProblemNote, Section, Waiting } from '../../parts/screen.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefOf, setQuery } from '../../routing/address.ts';
import { Lines, OutcomeOf } from './words.tsx';

/** One run of the log, whole. */
export function OpenRun({ hook, id }: { readonly hook: Schemas['Hook']; readonly id: string }) {
  const path = { id: hook.id };
  const { answer, problem, again } = useAnswer(
    () => api.get('/api/2/hooks/{id}/logs', { path, query: { request_id: id } }),
    [hook.id, id],
  );
  const run = answer?.data[0];
  return (
    <Section
      title="Run"
      actions={
        <>
          {run && (
            <a class="button primary" href={hrefOf(`hooks/${hook.id}`, { run: id })}>
              Replay in the editor
            </a>
          )}
          <button type="button" onClick={() => setQuery({ run: '' })}>
            Close
          </button>
        </>
      }
    >
      {problem && <ProblemNote problem={problem} again={() => void again()} />}
      {!answer && !problem && <Waiting />}
      {answer && !run && <p class="quiet">This run is not in the log any more: runs are kept for 7 days.</p>}
      {run && (
        <>
          <dl class="facts">
            <Fact title="Began">
              <Time at={run.created_at} isExact />
            </Fact>
            <Fact title="Outcome">
              <OutcomeOf outcome={run.outcome} />
            </Fact>
            <Fact title="Took">{run.duration_ms} ms</Fact>
            <Fact title="Attempt">{run.attempt}</Fact>
            <Fact title="Run">
              <code>{run.request_id}</code>
            </Fact>
            <Fact title="Part of the request">
              <code>{run.correlation_id}</code>
            </Fact>
          </dl>
          <Lines title="What it wrote" lines={run.events} />
        </>
      )}
    </Section>
  );
}
