import { getMembers } from '../../api/api.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Screen, Section } from '../../parts/screen.tsx';
import { List } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefOf, useAddress } from '../../routing/address.ts';
import { titleOf } from './definition.ts';
import { Log } from './log.tsx';
import { Variables } from './variables.tsx';
import { OutcomeOf, StateOf } from './words.tsx';

export function Hooks() {
  const cursor = useAddress().query.get('cursor');
  const asked = useAnswer(() => {
    const query = cursor ? { cursor } : { limit: 25 };
    return getMembers('/api/2/hooks', ['id', 'type', 'disabled', 'status', 'updated_at'], { query });
  }, [cursor]);
  return (
    <Screen
      title="Hooks"
      actions={
        <a class="button primary" href={hrefOf('hooks/new')}>
          New hook
        </a>
      }
    >
      <Section title="Hooks, in the order in which they run">
        <List
          caption="Hooks"
          asked={asked}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Hook', cell: (hook) => <a href={hrefOf(`hooks/${hook.id}`)}>{titleOf(hook)}</a> },
            { title: 'State', cell: (hook) => <StateOf hook={hook} /> },
            { title: 'Newest runs', cell: ({ id }) => <Health id={id} /> },
            { title: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
          ]}
          empty={<p>No hook yet. A hook is a function of yours that decides at each sign-in, or brings users along.</p>}
        />
      </Section>
      <Variables />
      <Log />
    </Screen>
  );
}

const looked = 20;

function Health({ id }: { readonly id: string }) {
  const asked = useAnswer(
    () => getMembers('/api/2/hooks/{id}/logs', ['outcome'], { path: { id }, query: { limit: looked } }),
    [id],
  );
  const runs = asked.answer?.data;
  if (!runs) return <span class="quiet">–</span>;
  const [newest] = runs;
  if (!newest) return <span class="quiet">none in 7 days</span>;
  const failed = runs.filter(({ outcome }) => outcome !== 'success' && outcome !== 'refused').length;
  return (
    <>
      <OutcomeOf outcome={newest.outcome} />{' '}
      <span class="quiet">
        {failed === 0 ? 'none failed' : `${failed} failed`} of {runs.length}
      </span>
    </>
  );
}
