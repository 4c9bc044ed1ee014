import { useId, useState } from 'preact/hooks';
import { api } from '../../api/api.ts';
import { say } from '../../parts/notices.tsx';
import { Screen, Section } from '../../parts/screen.tsx';
import { go, hrefOf } from '../../routing/address.ts';
import { bodyOf, type HookType, isSample, newDefinition } from './definition.ts';
import { useWork } from './work.ts';
import { Workbench } from './workbench.tsx';

const kinds: readonly (readonly [HookType, string])[] = [
  ['pre-authentication', 'At each sign-in: chooses the policy, or refuses'],
  ['user-migration', 'At a sign-in of somebody unknown: brings the user along'],
];

export function NewHook() {
  const [begun] = useState(newDefinition('pre-authentication'));
  const work = useWork(begun);
  const id = useId();
  const { value, change } = work;
  const choose = (type: HookType) => {
    change('type', type);
    if (isSample(value.code)) change('code', newDefinition(type).code);
  };
  return (
    <Screen title="New hook" above={{ title: 'Hooks', href: hrefOf('hooks') }}>
      <Section title="Kind">
        <div class="fields">
          <div class="field">
            <label for={id}>When it runs</label>
            <select
              id={id}
              value={value.type}
              onChange={({ currentTarget }) => choose(currentTarget.value as HookType)}
            >
              {kinds.map(([kind, words]) => (
                <option key={kind} value={kind}>
                  {words}
                </option>
              ))}
            </select>
          </div>
          <label class="field check">
            <input
              type="checkbox"
              checked={value.disabled}
              onChange={({ currentTarget: { checked } }) => change('disabled', checked)}
            />
            Keep it disabled for now
          </label>
        </div>
      </Section>
      <Workbench
        work={work}
        hookId={null}
        verb="Create"
        save={async (definition) => {
          const { data } = await api.post('/api/2/hooks', { body: bodyOf(definition) });
          go(hrefOf(`hooks/${data.id}`));
          say(`The hook was created. ${data.warning ?? ''}`);
        }}
      />
    </Screen>
  );
}
