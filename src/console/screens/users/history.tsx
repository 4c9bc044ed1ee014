import { api } from '../../api/api.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Section } from '../../parts/screen.tsx';
import { List } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefOf } from '../../routing/address.ts';

/** What the audit trail says of a user, newest first. */
export function UserHistory({ id }: { readonly id: number }) {
  const query = { user_id: id, limit: 20 };
  const asked = useAnswer(() => api.get('/api/2/events', { query }), [id]);
  return (
    <Section title="History" actions={<a href={hrefOf('events', { user_id: String(id) })}>All events</a>}>
      <List
        caption="History"
        asked={asked}
        keyOf={({ id: event }) => event}
        columns={[
          { title: 'When', cell: ({ created_at: at }) => <Time at={at} /> },
          { title: 'What', cell: ({ action }) => <code>{action}</code> },
          { title: 'Outcome', cell: ({ outcome }) => outcome },
          { title: 'By', cell: ({ actor }) => (actor.id === null ? actor.type : `${actor.type} ${actor.id}`) },
          { title: 'From', cell: ({ source }) => source ?? '–' },
          { title: 'Detail', cell: ({ detail }) => <code class="detail">{wordsOf(detail)}</code> },
        ]}
        empty={<p>Nothing has happened to this user yet.</p>}
      />
    </Section>
  );
}

function wordsOf(detail: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(detail).map(([name, value]) => {
    return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  return parts.join(', ');
}
