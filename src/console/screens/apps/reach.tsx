import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { counted } from '../../parts/counted.ts';
import { ProblemNote, Section, Waiting } from '../../parts/screen.tsx';
import { hrefOf } from '../../routing/address.ts';

type Role = Pick<Schemas['Role'], 'id' | 'name'>;

/** As many as a diagram can show; each is counted by a call. */
const most = 12;

interface ReachProps {
  readonly app: Schemas['App'];
  readonly roles: readonly Role[];
  /** Counts again where it is another value. */
  readonly turn: unknown;
}

/** Through which roles how many people may use an app: boxes and lines, which are a list for those who hear them. */
export function Reach({ app, roles, turn }: ReachProps) {
  const given = roles.filter(({ id }) => app.role_ids.includes(id));
  const shown = given.slice(0, most);
  const key = shown.map(({ id }) => id).join();
  const asked = useAnswer(async () => {
    const query = { limit: 1 };
    const ofRole = ({ id }: Role) => api.get('/api/2/roles/{id}/users', { path: { id }, query });
    const ofApp = await api.get('/api/2/apps/{id}/users', { path: { id: app.id }, query });
    const ofRoles = await Promise.all(shown.map(ofRole));
    return { ...ofApp, data: { total: totalOf(ofApp), counts: ofRoles.map(totalOf) } };
  }, [app.id, key, turn]);
  const found = asked.answer?.data;
  return (
    <Section title="Who has access">
      {asked.problem && <ProblemNote problem={asked.problem} again={() => void asked.again()} />}
      {!found && !asked.problem && <Waiting />}
      {found && found.counts.length === shown.length && (
        <figure class="reach" aria-label={`Who has access to ${app.name}, and through which role`}>
          <ul class="reach-ways" aria-label="Ways to the app">
            {shown.map(({ id, name }, index) => (
              <li key={id}>
                <a href={hrefOf(`roles/${id}`)}>
                  <bdi>{name}</bdi>
                </a>
                <span class="reach-count">{counted(found.counts[index] ?? 0, 'user')} with this role</span>
              </li>
            ))}
            {given.length > most && <li>{counted(given.length - most, 'more role')}</li>}
            <li class="reach-direct">
              <span>Assigned directly</span>
              <span class="reach-count">one by one, in the list below</span>
            </li>
          </ul>
          <p class="reach-app">
            <strong>
              <bdi>{app.name}</bdi>
            </strong>
            <span class="reach-count">{counted(found.total, 'user')} in all</span>
          </p>
        </figure>
      )}
    </Section>
  );
}

const totalOf = ({ headers }: { readonly headers: Headers }) => Number(headers.get('total-count'));
