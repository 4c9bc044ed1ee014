import { api } from '../api/api.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Screen, Section } from '../parts/screen.tsx';
import { List } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { hrefOf } from '../routing/address.ts';
import { nameOf } from './users/words.ts';

/** How the account is, and what wants somebody. */
export function Overview() {
  return (
    <Screen title="Overview">
      <LockedUsers />
    </Screen>
  );
}

function LockedUsers() {
  const query = { status: 3, limit: 5, sort: '-updated_at' };
  const asked = useAnswer(() => api.get('/api/2/users', { query }), []);
  return (
    <Section title="Locked users" actions={<a href={hrefOf('users', { status: '3' })}>Show all</a>}>
      <List
        caption="Locked users"
        asked={asked}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Name',
            cell: (user) => (
              <a href={hrefOf(`users/${user.id}`)}>
                <bdi>{nameOf(user)}</bdi>
              </a>
            ),
          },
          { title: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
        ]}
        empty={<p>Nobody is locked.</p>}
      />
    </Section>
  );
}
