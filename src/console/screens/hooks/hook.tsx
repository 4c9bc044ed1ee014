import { useEffect, useMemo } from 'preact/hooks';
import { type Answer, api, ifMatch } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { type Asked, useAnswer } from '../../api/use-answer.ts';
import { Detail } from '../../parts/detail.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { isSame } from '../../parts/members.ts';
import { say } from '../../parts/notices.tsx';
import { Screen } from '../../parts/screen.tsx';
import { go, hrefOf, useAddress } from '../../routing/address.ts';
import { bodyOf, definitionOf, titleOf } from './definition.ts';
import { Draft } from './draft.tsx';
import { Log } from './log.tsx';
import { saveDraft } from './save-draft.ts';
import { Versions } from './versions.tsx';
import { isBuilding, StateOf } from './words.tsx';
import { useWork } from './work.ts';
import { Workbench } from './workbench.tsx';

type Hook = Schemas['Hook'];

const above = { title: 'Hooks', href: hrefOf('hooks') };
const pollMilliseconds = 2000;

export function HookScreen({ id }: { readonly id: string }) {
  const asked = useAnswer(() => api.get('/api/2/hooks/{id}', { path: { id } }), [id]);
  const { answer, again, isWaiting } = asked;
  useEffect(() => {
    if (isWaiting || !answer || !isBuilding(answer.data)) return;
    const timer = setTimeout(() => void again(), pollMilliseconds);
    return () => clearTimeout(timer);
  }, [answer, again, isWaiting]);
  return (
    <Detail title="Hook" above={above} asked={asked}>
      {(found) => <Known found={found} asked={asked} />}
    </Detail>
  );
}

const views = [
  ['code', 'Function'],
  ['versions', 'Versions'],
  ['draft', 'Draft'],
  ['log', 'Log'],
] as const;

function Known({ found: { data: hook, tag }, asked }: { readonly found: Answer<Hook>; readonly asked: Asked<Hook> }) {
  const { query } = useAddress();
  const path = { id: hook.id };
  const header = ifMatch(tag);
  const stored = useMemo(() => definitionOf(hook), [hook]);
  const work = useWork(stored);
  const view = query.get('view') ?? 'code';
  const isSignIn = hook.type === 'pre-authentication';
  const openCode = (code: string) => {
    work.change('code', code);
    go(hrefOf(`hooks/${hook.id}`));
  };
  return (
    <Screen
      title={titleOf(hook)}
      above={above}
      actions={
        <>
          <ConfirmButton
            label={hook.disabled ? 'Enable' : 'Disable'}
            title={`${hook.disabled ? 'Enable' : 'Disable'} ${titleOf(hook)}?`}
            words={hook.disabled ? 'It runs from the next sign-in on.' : 'Sign-ins go on without it from now on.'}
            verb={hook.disabled ? 'Enable' : 'Disable'}
            act={async () => {
              const body = bodyOf({ ...stored, disabled: !hook.disabled });
              await api.put('/api/2/hooks/{id}', { path, header, body });
              await asked.again();
              say(hook.disabled ? 'The hook is enabled.' : 'The hook is disabled.');
            }}
          />
          <ConfirmButton
            label="Delete"
            title={`Delete ${titleOf(hook)}?`}
            words="Sign-ins go on without it, and its versions and its log are lost. This cannot be undone."
            verb="Delete"
            typed={hook.id.slice(0, 8)}
            act={async () => {
              await api.delete('/api/2/hooks/{id}', { path, header });
              go(hrefOf('hooks'));
              say(`${titleOf(hook)} was deleted.`);
            }}
          />
        </>
      }
    >
      <p>
        <StateOf hook={hook} />
      </p>
      <nav class="views" aria-label="Of this hook">
        {views.map(([name, title]) => (
          <a
            key={name}
            href={hrefOf(`hooks/${hook.id}`, name === 'code' ? {} : { view: name })}
            aria-current={name === view ? 'page' : undefined}
          >
            {title}
            {name === 'code' && work.isChanged && ' (changed)'}
          </a>
        ))}
      </nav>
      <div hidden={view !== 'code'}>
        <Workbench
          work={work}
          hookId={hook.id}
          run={view === 'code' ? query.get('run') : null}
          verb="Save"
          save={async (definition) => {
            const { data } = await api.put('/api/2/hooks/{id}', { path, header, body: bodyOf(definition) });
            await asked.again();
            work.settle(definition);
            say(`The hook was saved. ${data.warning ?? ''}`);
          }}
          saveDraft={
            isSignIn
              ? (next) => saveDraft(hook.id, next.code, !isSame({ ...next, code: '' }, { ...stored, code: '' }))
              : undefined
          }
          again={asked.again}
        />
      </div>
      {view === 'versions' && <Versions hook={hook} tag={tag} again={asked.again} openCode={openCode} />}
      {view === 'draft' && <Draft hook={hook} again={asked.again} openCode={openCode} />}
      {view === 'log' && <Log hook={hook} />}
    </Screen>
  );
}
