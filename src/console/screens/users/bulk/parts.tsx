import { api } from '../../../api/api.ts';
import type { Schemas } from '../../../api/contract.ts';
import { useAnswer } from '../../../api/use-answer.ts';
import { counted } from '../../../parts/counted.ts';
import { whole } from '../../../parts/pages.ts';
import { ProblemNote, Waiting } from '../../../parts/screen.tsx';
import { Table } from '../../../parts/table.tsx';
import { UserLink } from '../user-link.tsx';
import { nameOf } from '../words.ts';
import type { Failed, Run } from './run.ts';

const mostNamed = 10;

interface WhoProps {
  readonly users: readonly Schemas['User'][];
  readonly words: string;
}

/** Whom it concerns, and what it does to them. */
export function Who({ users, words }: WhoProps) {
  const more = users.length - mostNamed;
  return (
    <>
      <p>{words}</p>
      <ul class="ways">
        {users.slice(0, mostNamed).map((user) => (
          <li key={user.id}>
            <bdi>{nameOf(user)}</bdi> <span class="quiet">{user.email ?? user.username}</span>
          </li>
        ))}
        {more > 0 && <li>and {counted(more, 'user')} more</li>}
      </ul>
    </>
  );
}

/** For whom it was not done, and why. */
export function Left({ run: { count, done, failed, ended } }: { readonly run: Run }) {
  const untried = count - done - failed.length;
  return (
    <>
      {ended && <ProblemNote problem={ended} />}
      <p role="status">
        Done for {counted(done, 'user')}
        {failed.length > 0 && `, refused for ${counted(failed.length, 'user')}`}
        {untried > 0 && `, not done for ${counted(untried, 'user')}`}.
      </p>
      {failed.length > 0 && (
        <Table
          caption="Users for whom it was refused"
          columns={[
            { title: 'Name', cell: ({ user }: Failed) => <UserLink user={user} /> },
            { title: 'Reason', cell: ({ problem }: Failed) => <bdi>{problem.message}</bdi> },
          ]}
          rows={failed}
          keyOf={({ user }) => user.id}
        />
      )}
    </>
  );
}

interface ChooseRoleProps {
  readonly value: string;
  readonly isFixed: boolean;
  readonly choose: (id: string) => void;
}

export function ChooseRole({ value, isFixed, choose }: ChooseRoleProps) {
  const roles = useAnswer(() => whole((query) => api.get('/api/2/roles', { query }), { sort: 'name' }), []);
  if (roles.problem) return <ProblemNote problem={roles.problem} again={() => void roles.again()} />;
  if (!roles.answer) return <Waiting />;
  return (
    <label class="field">
      <span>Role</span>
      <select value={value} disabled={isFixed} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">Choose…</option>
        {roles.answer.data.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
