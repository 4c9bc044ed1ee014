import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Answer, api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Chart } from '../../parts/chart.tsx';
import { ProblemNote, Section, Waiting } from '../../parts/screen.tsx';
import { hrefOf } from '../../routing/address.ts';
import { chartsOf, hasAny, lastDays } from './counts.ts';

type Count = Required<Schemas['DailyCount']>;

const dayMilliseconds = 86_400_000;
const empty: Readonly<Record<string, ComponentChildren>> = {
  'Sign-ins': (
    <>
      Nobody has signed in during these days. Give somebody an <a href={hrefOf('apps')}>app</a>, and try its sign-in.
    </>
  ),
  Refreshes: 'No app has refreshed a token during these days. Apps do when they ask for offline_access.',
  'Runs of hooks': 'No hook has run during these days. A hook decides about sign-ins with code of your own.',
};

/** What happened: in the last 24 hours as the trail has it, and by day as it was counted. */
export function Activity() {
  const asked = useAnswer(() => api.get('/api/2/usage/daily', { query: { limit: 1000 } }), []);
  const { answer, problem, again } = asked;
  return (
    <>
      <LastDay />
      {!answer && (
        <Section title="The last 30 days">
          {problem ? <ProblemNote problem={problem} again={() => void again()} /> : <Waiting />}
        </Section>
      )}
      {answer && <Charts counts={answer.data} />}
    </>
  );
}

function Charts({ counts }: { readonly counts: readonly Count[] }) {
  const days = lastDays(Date.now());
  return (
    <>
      {chartsOf(counts, days).map(({ title, series }) => (
        <Section key={title} title={`${title} in the last ${days.length} days`}>
          {hasAny(series) ? <Chart title={title} days={days} series={series} /> : <p class="empty">{empty[title]}</p>}
        </Section>
      ))}
    </>
  );
}

const outcomes = [
  ['Signed in', 'sign_in.succeeded'],
  ['Wrong password or name', 'sign_in.failed'],
  ['Wrong second factor', 'mfa.failed'],
  ['Refused', 'sign_in.refused'],
  ['Refused by a hook', 'hook.sign_in_refused'],
] as const;

function LastDay() {
  const [since] = useState(() => new Date(Date.now() - dayMilliseconds).toISOString());
  const asked = useAnswer(async (): Promise<Answer<readonly number[]>> => {
    const query = { created_since: since, limit: 1, fields: 'id' };
    const totals = await Promise.all(
      outcomes.map(async ([, action]) => {
        const { headers } = await api.get('/api/2/events', { query: { ...query, action } });
        return Number(headers.get('total-count'));
      }),
    );
    return { data: totals, tag: null, headers: new Headers() };
  }, [since]);
  const { answer, problem, again } = asked;
  return (
    <Section
      title="Sign-ins in the last 24 hours"
      actions={<a href={hrefOf('events', { created_since: since })}>All events</a>}
    >
      {problem && <ProblemNote problem={problem} again={() => void again()} />}
      {!answer && !problem && <Waiting />}
      {answer && (
        <dl class="figures">
          {outcomes.map(([words, action], index) => (
            <div key={action}>
              <dt>{words}</dt>
              <dd>
                <a href={hrefOf('events', { action, created_since: since })}>
                  {(answer.data[index] ?? 0).toLocaleString('en')}
                </a>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Section>
  );
}
