import { api, ifMatch } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Detail } from '../../parts/detail.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { EditForm } from '../../parts/edit-form.tsx';
import { say } from '../../parts/notices.tsx';
import { Screen, Section } from '../../parts/screen.tsx';
import { go, hrefOf } from '../../routing/address.ts';
import { may } from '../../session/session.ts';
import { policyFields } from './fields.ts';

const above = { title: 'Policies', href: hrefOf('policies') };

export function PolicyScreen({ id }: { readonly id: string }) {
  const path = { id: Number(id) };
  const asked = useAnswer(() => api.get('/api/2/policies/{id}', { path }), [id]);
  const canWrite = may('manage_all');
  return (
    <Detail title="Policy" above={above} asked={asked}>
      {({ data: policy, tag }) => (
        <Screen
          title={policy.name}
          above={above}
          actions={
            canWrite &&
            !policy.is_default && (
              <ConfirmButton
                label="Delete"
                title={`Delete ${policy.name}?`}
                words="A policy cannot be deleted while a user, a role, or an app follows it. Deleting cannot be undone."
                verb="Delete"
                typed={policy.name}
                act={async () => {
                  await api.delete('/api/2/policies/{id}', { path, header: ifMatch(tag) });
                  go(hrefOf('policies'));
                  say(`${policy.name} was deleted.`);
                }}
              />
            )
          }
        >
          <Section title="Rules">
            <EditForm
              fields={policyFields}
              value={policy}
              canWrite={canWrite}
              verb="Save"
              done="The policy was saved."
              save={async (body) => {
                const changes = body as Schemas['PolicyUpdate'];
                await api.put('/api/2/policies/{id}', { path, header: ifMatch(tag), body: changes });
                await asked.again();
              }}
              again={asked.again}
            />
          </Section>
        </Screen>
      )}
    </Detail>
  );
}
