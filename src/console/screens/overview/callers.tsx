import { api } from '../../api/api.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { daysBefore } from '../../parts/days.ts';
import { Section } from '../../parts/screen.tsx';
import { List } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefOf } from '../../routing/address.ts';

const unusedDays = 60;
const shown = 5;

/** Apps that nobody needs any more, and when those of open registration expire. */
export function UnusedApps() {
  const asked = useAnswer(() => {
    const since = daysBefore(Date.now(), unusedDays).toISOString().slice(0, 10);
    return api.get('/api/2/usage/apps', { query: { unused_since: since, limit: shown, sort: 'created_at' } });
  }, []);
  return (
    <Section title={`Apps unused for ${unusedDays} days`}>
      <List
        caption={`Apps unused for ${unusedDays} days`}
        asked={asked}
        keyOf={({ id }) => id}
        hasPages={false}
        columns={[
          {
            title: 'Name',
            cell: ({ id, name }) => (
              <a href={hrefOf(`apps/${id}`)}>
                <bdi>{name}</bdi>
              </a>
            ),
          },
          { title: 'Last used', cell: ({ last_used_on: day }) => day ?? <span class="quiet">never</span> },
          {
            title: 'Expires',
            cell: ({ expires_at: at, expired }) =>
              expired ? <span class="status status-2">expired</span> : <Time at={at} none="never by itself" />,
          },
        ]}
        empty={<p>Every app that was made before then has been used since. There is nothing to remove.</p>}
      />
    </Section>
  );
}

/** Who still calls what is going away. */
export function DeprecatedCallers() {
  const query = { days: 30, limit: shown };
  const asked = useAnswer(() => api.get('/api/2/usage/deprecated-calls', { query }), []);
  return (
    <Section title="Callers of deprecated surfaces" isWide>
      <List
        caption="Callers of deprecated surfaces"
        asked={asked}
        keyOf={({ api_key: key, call }) => `${key.id} ${call}`}
        hasPages={false}
        columns={[
          {
            title: 'Key',
            cell: ({ api_key: { id, name } }) => (
              <a href={hrefOf('events', { actor: `API:${id}` })}>
                <bdi>{name}</bdi>
              </a>
            ),
          },
          { title: 'Call', cell: ({ call }) => <code>{call}</code> },
          { title: 'In place of it', cell: ({ successor }) => <code>{successor}</code> },
          { title: 'Calls in 30 days', cell: ({ calls }) => calls.toLocaleString('en') },
          { title: 'Last', cell: ({ last_called_at: at }) => <Time at={at} /> },
        ]}
        empty={<p>Nobody calls a deprecated surface: new programs use a credential pair.</p>}
      />
    </Section>
  );
}
