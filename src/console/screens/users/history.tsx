import { api } from '../../api/api.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Section } from '../../parts/screen.tsx';
import { List } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefOf } from '../../routing/address.ts';
import { detailWords } from '../events/event.tsx';
import { PartyName } from '../events/party.tsx';
import type { OfUser } from './factors.tsx';

/** What the audit trail says of a user, newest first. */
export function UserHistory({ id, turn }: OfUser) {
  const query = { user_id: id, limit: 20 };
  const asked = useAnswer(() => api.get('/api/2/events', { query }), [id, turn]);
  return (
    <Section title="History" actions={<a href={hrefOf('events', { user_id: String(id) })}>All events</a>}>
      <List
        caption="History"
        asked={asked}
        keyOf={({ id: event }) => event}
        hasPages={false}
        columns={[
          { title: 'When', cell: ({ created_at: at }) => <Time at={at} /> },
          { title: 'What', cell: ({ action }) => <code>{action}</code> },
          { title: 'Outcome', cell: ({ outcome }) => outcome },
          { title: 'By', cell: ({ actor }) => <PartyName party={actor} /> },
          { title: 'From', cell: ({ source }) => source ?? '–' },
          { title: 'Detail', cell: ({ detail }) => <code class="detail">{detailWords(detail)}</code> },
        ]}
        empty={<p>Nothing has happened to this user yet.</p>}
      />
    </Section>
  );
}
