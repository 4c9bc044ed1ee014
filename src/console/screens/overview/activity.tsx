import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Answer, api, getMembers } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Chart } from '../../parts/chart.tsx';
import { daysBefore } from '../../parts/days.ts';
import { pagesOf, whole } from '../../parts/pages.ts';
import { ProblemNote, Section, Waiting } from '../../parts/screen.tsx';
import { hrefOf } from '../../routing/address.ts';
import { chartsOf, hasAny, lastDays } from './counts.ts';

type Count = Required<Schemas['DailyCount']>;

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
  const asked = useAnswer(() => whole((query) => api.get('/api/2/usage/daily', { query })), []);
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
  ['Refused, since a hook failed', 'hook.failed'],
] as const;

const mostRead = 10_000;

/** A number of events, in words. */
async function countOf(action: (typeof outcomes)[number][1], since: string): Promise<string> {
  const query = { action, created_since: since };
  if (action === 'hook.failed') return countDenied(query);
  const { headers } = await getMembers('/api/2/events', ['id'], { query: { ...query, limit: 1 } });
  return Number(headers.get('total-count')).toLocaleString('en');
}

/** A hook that failed refuses the sign-in or not, as the account has set it: the event says so, and no filter does. */
async function countDenied(query: { readonly action: 'hook.failed'; readonly created_since: string }): Promise<string> {
  const ask = (cursor: string | null) =>
    getMembers('/api/2/events', ['detail'], { query: cursor === null ? { ...query, limit: 1000 } : { cursor } });
  let [read, denied] = [0, 0];
  for await (const events of pagesOf(ask)) {
    read += events.length;
    denied += events.filter(({ detail }) => detail['sign_in'] === 'denied' && detail['user_id'] !== null).length;
    if (read >= mostRead) return `${denied.toLocaleString('en')} or more`;
  }
  return denied.toLocaleString('en');
}

function LastDay() {
  const [since] = useState(() => daysBefore(Date.now(), 1).toISOString());
  const asked = useAnswer(async (): Promise<Answer<readonly string[]>> => {
    const counts = await Promise.all(outcomes.map(([, action]) => countOf(action, since)));
    return { data: counts, tag: null, headers: new Headers() };
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
                <a href={hrefOf('events', { action, created_since: since })}>{answer.data[index]}</a>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Section>
  );
}
