import { api, getMembers } from '../../api/api.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Section } from '../../parts/screen.tsx';
import { List } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefOf } from '../../routing/address.ts';
import { StateOf } from '../hooks/words.tsx';
import { UserLink } from '../users/user-link.tsx';

export function LockedUsers() {
  const query = { status: 3, limit: 5, sort: '-updated_at' };
  const asked = useAnswer(() => api.get('/api/2/users', { query }), []);
  return (
    <Section title="Locked users" actions={<a href={hrefOf('users', { status: '3' })}>Show all</a>}>
      <List
        caption="Locked users"
        asked={asked}
        keyOf={({ id }) => id}
        hasPages={false}
        columns={[
          {
            title: 'Name',
            cell: (user) => <UserLink user={user} />,
          },
          { title: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
        ]}
        empty={<p>Nobody is locked.</p>}
      />
    </Section>
  );
}

const steps: Readonly<Record<string, string>> = {
  overdue: 'The key has signed for more than 90 days: rotate it',
  missing: 'No key is left: rotate the keys',
  published: 'The next key is published, and signs soon',
  replaced: 'The next key signs; the former one still verifies',
};

/** How far the keys are, by algorithm. */
export function KeyStates() {
  const asked = useAnswer(async () => {
    const answer = await api.get('/api/2/signing-keys', { query: { limit: 1000 } });
    const now = new Date().toISOString();
    const wanted = answer.data.filter(
      ({ rotation_step: step, retires_at: at }) => step !== 'signing' || (at && at > now),
    );
    return { ...answer, headers: new Headers(), data: wanted };
  }, []);
  return (
    <Section title="Signing keys" actions={<a href={hrefOf('settings')}>Settings and keys</a>}>
      <List
        caption="Signing keys that change"
        asked={asked}
        keyOf={({ kid }) => kid}
        columns={[
          { title: 'Algorithm', cell: ({ alg }) => alg },
          { title: 'State', cell: ({ state }) => state },
          { title: 'Step', cell: ({ rotation_step: step }) => steps[step] ?? step },
          { title: 'Withdrawn', cell: ({ retires_at: at }) => <Time at={at} /> },
        ]}
        empty={<p>Each algorithm has a key that signs, and none is due to be replaced.</p>}
      />
    </Section>
  );
}

/** The hooks of the account, and what keeps one from running. */
export function HookStates() {
  const asked = useAnswer(
    () => getMembers('/api/2/hooks', ['id', 'type', 'disabled', 'status'], { query: { limit: 100 } }),
    [],
  );
  return (
    <Section title="Hooks" actions={<a href={hrefOf('hooks')}>All hooks</a>}>
      <List
        caption="Hooks"
        asked={asked}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Type', cell: ({ id, type }) => <a href={hrefOf(`hooks/${id}`)}>{type}</a> },
          { title: 'State', cell: (hook) => <StateOf hook={hook} /> },
        ]}
        empty={<p>No hook yet. One decides about sign-ins, or takes users over from another service.</p>}
      />
    </Section>
  );
}
