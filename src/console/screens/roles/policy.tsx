import { api, ifMatch } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { EditForm } from '../../parts/edit-form.tsx';
import { whole } from '../../parts/pages.ts';
import { ProblemNote, Section, Waiting } from '../../parts/screen.tsx';
import { may } from '../../session/session.ts';
import { policyChoice } from '../policies/choice.ts';

const order = 'Applies unless the user, the app, or a role that the user was given earlier names a policy.';

/** The policy that a role names for its users, which has an address and a tag of its own. */
export function RolePolicy({ id }: { readonly id: number }) {
  const path = { id };
  const policies = useAnswer(() => whole((query) => api.get('/api/2/policies', { query })), []);
  const asked = useAnswer(() => api.get('/api/2/roles/{id}/policy', { path }), [id]);
  const failed = [policies, asked].find(({ problem, answer }) => problem && !answer);
  return (
    <Section title="Policy of users with this role">
      {failed?.problem && <ProblemNote problem={failed.problem} again={() => void failed.again()} />}
      {!failed && !(policies.answer && asked.answer) && <Waiting />}
      {policies.answer && asked.answer && (
        <EditForm
          fields={[policyChoice(policies.answer.data, order)]}
          value={asked.answer.data}
          canWrite={may('manage_all')}
          verb="Save policy"
          done="The policy of the role was saved."
          save={async (body) => {
            const header = ifMatch(asked.answer?.tag ?? null);
            await api.put('/api/2/roles/{id}/policy', { path, header, body: body as Schemas['RolePolicy'] });
            await asked.again();
          }}
          again={asked.again}
        />
      )}
    </Section>
  );
}
