import { api, ifMatch } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { type Asked, useAnswer } from '../../api/use-answer.ts';
import { Fact } from '../../parts/detail.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { say } from '../../parts/notices.tsx';
import { ProblemNote, Section, Waiting } from '../../parts/screen.tsx';
import { List } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { go, hrefOf } from '../../routing/address.ts';
import { Diff } from './code.tsx';
import { readDraft } from './save-draft.ts';
import { decodeText } from './text.ts';
import { OutcomeOf } from './words.tsx';

export interface DraftProps {
  readonly hook: Schemas['Hook'];
  readonly again: () => Promise<void>;
  readonly openCode: (code: string) => void;
}

/** The function that runs beside the hook without effect, and what came of it. */
export function Draft({ hook, again, openCode }: DraftProps) {
  const path = { id: hook.id };
  const asked = useAnswer(async () => {
    const draft = await readDraft(hook.id);
    return { data: draft?.data ?? null, tag: draft?.tag ?? null, headers: new Headers() };
  }, [hook.id]);
  const { answer, problem } = asked;
  if (problem) return <ProblemNote problem={problem} again={() => void asked.again()} />;
  if (!answer) return <Waiting />;
  const { data: draft, tag } = answer;
  if (!draft) {
    return (
      <div class="empty">
        <p>
          {hook.type === 'pre-authentication'
            ? 'No draft. Change the function and save it as a draft: it then runs beside the hook without effect, and this page says where it ends differently.'
            : 'A hook of this kind has no drafts: they would create users.'}
        </p>
      </div>
    );
  }
  const header = ifMatch(tag);
  return (
    <>
      <Section
        title="Draft"
        actions={
          <>
            <button type="button" onClick={() => openCode(decodeText(draft.function))}>
              Open in the editor
            </button>
            <ConfirmButton
              label="Make it live"
              title="Make the draft live?"
              words="It becomes the newest version, and runs from the next sign-in on."
              verb="Make it live"
              act={async () => {
                await api.post('/api/2/hooks/{id}/draft/promote', { path, header });
                await again();
                go(hrefOf(`hooks/${hook.id}`, { view: 'versions' }));
                say('The draft is live.');
              }}
            />
            <ConfirmButton
              label="Delete"
              title="Delete the draft?"
              words="It does not run any more, and its results are lost. This cannot be undone."
              verb="Delete"
              act={async () => {
                await api.delete('/api/2/hooks/{id}/draft', { path, header });
                await asked.again();
                say('The draft was deleted.');
              }}
            />
          </>
        }
      >
        {draft.function === hook.function ? (
          <p class="quiet">The function is that of the hook.</p>
        ) : (
          <Diff
            before={{ label: 'Live', text: decodeText(hook.function) }}
            after={{ label: 'Draft', text: decodeText(draft.function) }}
          />
        )}
      </Section>
      <Results id={hook.id} setAt={draft.updated_at} />
    </>
  );
}

function Results({ id, setAt }: { readonly id: string; readonly setAt: string }) {
  const asked = useAnswer(() => api.get('/api/2/hooks/{id}/draft/results', { path: { id } }), [id, setAt]);
  const { answer, problem, again } = asked;
  if (problem) return <ProblemNote problem={problem} again={() => void again()} />;
  if (!answer) return <Waiting />;
  const { since, same, different, differences } = answer.data;
  const rows = { ...asked, answer: { ...answer, data: differences } } as Asked<typeof differences>;
  return (
    <Section
      title="What came of it"
      actions={
        <button type="button" onClick={() => void again()}>
          Refresh
        </button>
      }
    >
      <dl class="facts">
        <Fact title="Ended as the hook">{same}</Fact>
        <Fact title="Ended differently">{different}</Fact>
        <Fact title="Since">
          <Time at={since} isExact />
        </Fact>
      </dl>
      <List
        caption="Runs in which the draft ended differently"
        asked={rows}
        keyOf={({ request_id: run }) => run}
        columns={[
          {
            title: 'Run',
            cell: ({ request_id: run, created_at: at }) => (
              <a href={hrefOf(`hooks/${id}`, { view: 'log', run })}>
                <Time at={at} isExact />
              </a>
            ),
          },
          { title: 'Live', cell: ({ live }) => <Outcome {...live} /> },
          { title: 'Draft', cell: ({ draft }) => <Outcome {...draft} /> },
        ]}
        empty={<p>No run has ended differently.</p>}
      />
    </Section>
  );
}

function Outcome({ outcome, policy_id: policy }: Schemas['HookDraftOutcome']) {
  return (
    <>
      <OutcomeOf outcome={outcome} /> {policy !== null && `policy ${policy}`}
    </>
  );
}
