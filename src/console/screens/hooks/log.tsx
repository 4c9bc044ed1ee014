import { useId } from 'preact/hooks';
import type { Schemas } from '../../api/contract.ts';
import type { Following } from '../../api/events.ts';
import { ProblemNote, Section } from '../../parts/screen.tsx';
import { Search } from '../../parts/search.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefOf, setQuery, useAddress } from '../../routing/address.ts';
import { OpenRun } from './run.tsx';
import { type LiveLog, type Run, useLog } from './use-log.ts';
import { OutcomeOf } from './words.tsx';

/** All of them: one that the contract adds does not compile until it is here. */
const outcomes: Readonly<Record<Schemas['HookOutcome'], true>> = {
  success: true,
  refused: true,
  invalid_result: true,
  error: true,
  timeout: true,
  out_of_memory: true,
  crashed: true,
  unavailable: true,
};

/** The log of one hook, or of all, as it is written. */
export function Log({ hook }: { readonly hook?: Schemas['Hook'] }) {
  const { query } = useAddress();
  const log = useLog(hook?.id ?? null);
  const [outcome, text] = [query.get('outcome'), query.get('q')?.toLowerCase() ?? ''];
  const shown = log.runs.filter((run) => (!outcome || run.outcome === outcome) && isAbout(run, text));
  const chosen = query.get('run');
  return (
    <>
      {hook && chosen && <OpenRun key={chosen} hook={hook} id={chosen} />}
      <Section title={hook ? 'Log' : 'Live log'} actions={<Controls log={log} />}>
        {log.problem && <ProblemNote problem={log.problem} />}
        {log.state.is === 'refused' && <ProblemNote problem={log.state.problem} />}
        <Search label="Search the log" hint="Any text of a run" text={query.get('q') ?? ''} />
        {shown.length === 0 ? (
          <div class="empty">
            <p>{log.runs.length === 0 ? 'No run yet. The next one appears here by itself.' : 'No such run.'}</p>
          </div>
        ) : (
          <Table caption="Runs" columns={columnsOf(hook)} rows={shown} keyOf={({ request_id: id }) => id} />
        )}
        {log.older && (
          <div class="pager">
            <button type="button" onClick={() => void log.older?.()}>
              Older runs
            </button>
          </div>
        )}
      </Section>
    </>
  );
}

const isAbout = (run: Run, text: string) =>
  text === '' || [run.request_id, run.correlation_id, ...run.events].some((one) => one.toLowerCase().includes(text));

function columnsOf(hook: Schemas['Hook'] | undefined) {
  return [
    {
      title: 'Run',
      cell: ({ hook_id: id = hook?.id ?? '', request_id: run, created_at: at }: Run) => (
        <a href={hrefOf(`hooks/${id}`, { view: 'log', run })}>
          <Time at={at} isExact />
        </a>
      ),
    },
    ...(hook ? [] : [{ title: 'Hook', cell: ({ hook_id: id }: Run) => <code>{id?.slice(0, 8)}</code> }]),
    { title: 'Outcome', cell: ({ outcome }: Run) => <OutcomeOf outcome={outcome} /> },
    { title: 'Took', cell: ({ duration_ms: took }: Run) => `${took} ms` },
    {
      title: 'Wrote',
      cell: ({ events, attempt }: Run) => (
        <>
          {attempt > 1 && <span class="quiet">attempt {attempt}: </span>}
          <bdi>{events[0]?.split('\t').at(-1) ?? '–'}</bdi>
          {events.length > 1 && <span class="quiet"> and {events.length - 1} more</span>}
        </>
      ),
    },
  ];
}

function Controls({ log: { state, isPaused, pause } }: { readonly log: LiveLog }) {
  const { query } = useAddress();
  const id = useId();
  return (
    <>
      <p role="status" class={state.is === 'live' && !isPaused ? 'status status-1' : 'status'}>
        {isPaused ? 'Paused' : words[state.is]}
      </p>
      <label class="unseen" for={id}>
        Outcome
      </label>
      <select
        id={id}
        value={query.get('outcome') ?? ''}
        onChange={({ currentTarget }) => setQuery({ outcome: currentTarget.value }, 'replace')}
      >
        <option value="">Every outcome</option>
        {Object.keys(outcomes).map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <button type="button" onClick={() => pause(!isPaused)}>
        {isPaused ? 'Go on' : 'Pause'}
      </button>
    </>
  );
}

const words: Readonly<Record<Following['is'], string>> = {
  opening: 'Opening…',
  live: 'Live',
  waiting: 'Connecting again…',
  refused: 'Ended',
};
