import { type Answer, api } from '../../api/api.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ExportButton, type ExportFormat } from '../../parts/export.tsx';
import { type FilterShape, Filters, type PickerProps } from '../../parts/filters.tsx';
import { pagesOf, whole } from '../../parts/pages.ts';
import { ProblemNote, Screen } from '../../parts/screen.tsx';
import { List } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefOf, setQuery, useAddress } from '../../routing/address.ts';
import { FindUser, type FoundUser } from '../users/find-user.tsx';
import { nameOf } from '../users/words.ts';
import { actions } from './actions.ts';
import { ChainStatus } from './chain.tsx';
import { detailWords, type Event, Outcome, WholeEvent } from './event.tsx';
import { PartyName } from './party.tsx';
import { RefusalOf, referenceIn } from './refusal.tsx';

const plainFilters: readonly FilterShape[] = [
  { name: 'action', label: 'What', options: actions.map((one) => [one, one] as const) },
  { name: 'created_since', label: 'Since', isTime: true },
  { name: 'created_until', label: 'Until', isTime: true },
  { name: 'request_id', label: 'Reference (request id)' },
  { name: 'actor', label: 'By (such as user:7)' },
  { name: 'target', label: 'On (such as role:3)' },
];

const names = new Set(['user_id', 'app_id', ...plainFilters.map(({ name }) => name)]);

/** A page of the events that the address bar asks for. */
function ask(query: URLSearchParams, cursor: string | null, limit: number): Promise<Answer<readonly Event[]>> {
  const known = [...query].filter(([name]) => names.has(name));
  const given = Object.fromEntries(
    known.map(([name, value]) => [name, (name === 'request_id' && referenceIn(value)) || value]),
  );
  return api.get('/api/2/events', { query: cursor === null ? { limit, ...given } : { cursor } });
}

const formats: Readonly<Record<'lines', ExportFormat>> = {
  lines: { label: 'JSON lines', type: 'application/jsonl', extension: 'jsonl' },
};

function ExportEvents({ query }: { readonly query: URLSearchParams }) {
  return (
    <ExportButton
      noun="event"
      formats={formats}
      read={async (_, signal, report) => {
        const parts: Blob[] = [];
        let count = 0;
        for await (const events of pagesOf((cursor) => ask(query, cursor, 1000), { report, signal })) {
          parts.push(new Blob(events.map((event) => `${JSON.stringify(event)}\n`)));
          count += events.length;
        }
        return { count, parts };
      }}
    >
      All events that the list shows with its present filters, on all pages, as a file with a JSON object in each line.
    </ExportButton>
  );
}

/** The audit trail. */
export function Events() {
  const { query } = useAddress();
  const filters = useFilters(query);
  const asked = useAnswer(() => ask(query, query.get('cursor'), 25), [addressOf(query)]);
  const wanted = query.get('event');
  const ofWanted = ({ id }: Event) => String(id) === wanted;
  const listed = asked.answer?.data.find(ofWanted);
  // A page of the list need not have what an address names.
  const missing = wanted !== null && asked.answer && !listed ? wanted : null;
  const other = useAnswer(async () => {
    const { data } = missing === null ? nothing : await api.get('/api/2/events', { query: { id: Number(missing) } });
    return { ...nothing, data: { of: missing, events: data } };
  }, [missing]);
  const found = listed ?? other.answer?.data.events.find(ofWanted);
  const isNowhere = missing !== null && !found && (other.problem || other.answer?.data.of === missing);
  const reference = referenceIn(query.get('request_id'));
  const isNarrowed = filters.some(({ name }) => query.has(name));
  const close = () => setQuery({ event: '', cursor: query.get('cursor') ?? '' });
  return (
    <Screen title="Events" actions={<ExportEvents query={query} />}>
      <Filters filters={filters} query={query} />
      {reference !== null && (
        <RefusalOf key={reference} reference={reference} isAlone={asked.answer?.data.length === 0} />
      )}
      <List
        caption="Events"
        asked={asked}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'When',
            cell: ({ id, created_at: at }) => (
              <a href={hrefOf('events', { ...Object.fromEntries(query), event: String(id) })}>
                <Time at={at} isExact />
              </a>
            ),
          },
          { title: 'What', cell: ({ action }) => <code class="whole">{action}</code> },
          { title: 'Outcome', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
          { title: 'By', cell: ({ actor }) => <PartyName party={actor} /> },
          { title: 'On', cell: ({ target }) => <PartyName party={target} /> },
          { title: 'From', cell: ({ source }) => <span class="whole">{source ?? '–'}</span> },
          { title: 'Detail', cell: ({ detail }) => <code class="detail">{detailWords(detail)}</code> },
        ]}
        empty={
          isNarrowed ? (
            <p>
              No event matches. Remove a filter, or <a href={hrefOf('events')}>show all events</a>.
            </p>
          ) : (
            <p>Nothing has happened yet. Sign in to an app, or create a user.</p>
          )
        }
      />
      <ChainStatus />
      {isNowhere && (
        <Dialog title={`Event ${missing}`} close={close}>
          {other.problem ? <ProblemNote problem={other.problem} /> : <p>The account has no such event.</p>}
        </Dialog>
      )}
      {found && <WholeEvent event={found} close={close} />}
    </Screen>
  );
}

/** What decides which list is shown: not the event that is open. */
function addressOf(query: URLSearchParams): string {
  const rest = new URLSearchParams(query);
  rest.delete('event');
  return rest.toString();
}

/** Filters by users and apps say the names of these. */
function useFilters(query: URLSearchParams): readonly FilterShape[] {
  const userId = query.get('user_id');
  const apps = useAnswer(() => whole((place) => api.get('/api/2/apps', { query: place })), []);
  const user = useAnswer(
    async () => (userId === null ? none : api.get('/api/2/users/{id}', { path: { id: Number(userId) } })),
    [userId],
  );
  const [action, ...others] = plainFilters;
  return [
    ...(action ? [action] : []),
    {
      name: 'user_id',
      label: 'User',
      picker: OfWhom,
      wordsOf: () => (user.answer?.data ? nameOf(user.answer.data) : (userId ?? '')),
    },
    {
      name: 'app_id',
      label: 'App',
      options: (apps.answer?.data ?? []).map(({ id, name }) => [String(id), name] as const),
    },
    ...others,
  ];
}

function OfWhom({ choose, close }: PickerProps) {
  const take = async ({ id }: FoundUser) => choose(String(id));
  return <FindUser title="Events of which user?" choose={take} close={close} />;
}

const nothing: Answer<readonly Event[]> = { data: [], tag: null, headers: new Headers() };
const none: Answer<null> = { data: null, tag: null, headers: new Headers() };
