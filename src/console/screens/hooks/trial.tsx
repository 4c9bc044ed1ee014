import { useId } from 'preact/hooks';
import type { Schemas } from '../../api/contract.ts';
import { ProblemNote, Section } from '../../parts/screen.tsx';
import { Code } from './code.tsx';
import type { Trial } from './use-trial.ts';
import { Lines, OutcomeOf } from './words.tsx';

/** The context, and how a run with it ended. */
export function TrialPanel({ trial }: { readonly trial: Trial }) {
  const id = useId();
  const { source, sources, choose, text, edit, result, problem, isBusy, run } = trial;
  const isRun = source.startsWith('run:');
  return (
    <Section
      title="Test run"
      actions={
        <button type="button" disabled={isBusy} title="Ctrl+Enter in the editor" onClick={() => void run()}>
          {isRun ? 'Replay' : 'Test'}
        </button>
      }
    >
      <div class="field">
        <label for={id}>Context</label>
        <select id={id} value={source} onChange={({ currentTarget: { value } }) => choose(value)}>
          {sources.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </div>
      {isRun && text === '' && <p class="quiet">The context of the run is shown once it is replayed.</p>}
      <div hidden={isRun && text === ''}>
        <Code label="Context as JSON" language="json" text={text} change={edit} run={() => void run()} />
      </div>
      <section class="stack" aria-label="Result" aria-live="polite" aria-busy={isBusy}>
        {problem && <ProblemNote problem={problem} />}
        {result?.of === 'context' && <End title="The test" end={result.end} />}
        {result?.of === 'run' && <Both both={result.both} />}
      </section>
    </Section>
  );
}

type Ended = Schemas['HookTestResult'] | Schemas['HookReplayedEnd'];

function End({ title, end }: { readonly title: string; readonly end: Ended }) {
  return (
    <>
      <p>
        <OutcomeOf outcome={end.outcome} /> <span class="quiet">in {end.duration_ms} ms</span>
      </p>
      {end.error && (
        <p class="field-problem">
          {end.error.name}: {end.error.message}
        </p>
      )}
      <h3>Answer</h3>
      <Lines title={`Answer of ${title}`} lines={[JSON.stringify(end.value ?? null, null, 2)]} />
      <h3>Output</h3>
      <Lines title={`Output of ${title}`} lines={end.output} />
      {end.dropped > 0 && <p class="quiet">{end.dropped} more lines were dropped.</p>}
    </>
  );
}

function Both({ both: { same, recorded, replayed } }: { readonly both: Schemas['HookReplay'] }) {
  return (
    <>
      <p class="strong">{same ? 'It ends as it did.' : 'It ends differently now.'}</p>
      <div class="sides">
        <div class="stack">
          <h3>Recorded</h3>
          <p>
            <OutcomeOf outcome={recorded.outcome} /> {recorded.policy_id !== null && `policy ${recorded.policy_id}`}
          </p>
          <Lines title="Recorded output" lines={recorded.output} />
        </div>
        <div class="stack">
          <h3>Replayed</h3>
          <End title="the replay" end={replayed} />
        </div>
      </div>
    </>
  );
}
