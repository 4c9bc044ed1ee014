import { useId } from 'preact/hooks';
import { api, ifMatch } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { isSame } from '../../parts/members.ts';
import { say } from '../../parts/notices.tsx';
import { Section } from '../../parts/screen.tsx';
import { List } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { setQuery, useAddress } from '../../routing/address.ts';
import { PartyName } from '../events/party.tsx';
import { Diff } from './code.tsx';
import { decodeText } from './text.ts';

type Version = Schemas['HookVersion'];

export interface VersionsProps {
  readonly hook: Schemas['Hook'];
  readonly tag: string | null;
  readonly again: () => Promise<void>;
  readonly openCode: (code: string) => void;
}

export function Versions({ hook, tag, again, openCode }: VersionsProps) {
  const path = { id: hook.id };
  const asked = useAnswer(() => api.get('/api/2/hooks/{id}/versions', { path }), [hook.id, hook.updated_at]);
  const versions = asked.answer?.data ?? [];
  return (
    <>
      {versions.length > 1 && <Compared versions={versions} />}
      <Section title="Versions">
        <List
          caption="Versions"
          asked={asked}
          keyOf={({ version }) => version}
          columns={[
            { title: 'Version', cell: ({ version }) => version },
            { title: 'Written', cell: ({ created_at: at }) => <Time at={at} /> },
            { title: 'By', cell: ({ written_by: author }) => (author ? <PartyName party={author} /> : '–') },
            { title: 'State', cell: (version) => <State version={version} /> },
            {
              title: 'Actions',
              cell: (version) => (
                <div class="actions">
                  {version.version !== versions[0]?.version && (
                    <>
                      <button type="button" onClick={() => setQuery({ from: String(version.version), to: '' })}>
                        Compare
                      </button>
                      <ConfirmButton
                        label="Roll back"
                        of={`to version ${version.version}`}
                        title={`Roll back to version ${version.version}?`}
                        words="It becomes the newest version, and runs from the next sign-in on. Another rollback undoes it."
                        verb="Roll back"
                        act={async () => {
                          const body = { version: version.version };
                          await api.post('/api/2/hooks/{id}/rollback', { path, header: ifMatch(tag), body });
                          await again();
                          say(`Version ${version.version} is the newest again.`);
                        }}
                      />
                    </>
                  )}
                  <button type="button" onClick={() => openCode(decodeText(version.function))}>
                    Open in the editor
                  </button>
                </div>
              ),
            },
          ]}
          empty={<p>No version.</p>}
        />
      </Section>
    </>
  );
}

function State({ version: { running, disabled } }: { readonly version: Version }) {
  if (!running) return <span class="quiet">kept</span>;
  return <span class={disabled ? 'status' : 'status status-1'}>{disabled ? 'disabled' : 'runs'}</span>;
}

/** Two versions side by side: the one before the newest and that one, unless the address names others. */
function Compared({ versions }: { readonly versions: readonly Version[] }) {
  const { query } = useAddress();
  const find = (name: string, otherwise: Version | undefined) =>
    versions.find(({ version }) => String(version) === query.get(name)) ?? otherwise;
  const [from, to] = [find('from', versions[1]), find('to', versions[0])];
  if (!from || !to) return null;
  const differing = members.filter((name) => !isSame(from[name], to[name]));
  return (
    <Section
      title="What changed"
      actions={
        <>
          <Choice label="From version" name="from" versions={versions} chosen={from} />
          <Choice label="to version" name="to" versions={versions} chosen={to} />
        </>
      }
    >
      {from.function === to.function ? (
        <p class="quiet">The function is the same.</p>
      ) : (
        <Diff
          before={{ label: `Version ${from.version}`, text: decodeText(from.function) }}
          after={{ label: `Version ${to.version}`, text: decodeText(to.function) }}
        />
      )}
      {differing.length > 0 && (
        <dl class="facts">
          {differing.map((name) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <del>{JSON.stringify(from[name])}</del> <ins>{JSON.stringify(to[name])}</ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Section>
  );
}

const members = [
  'type',
  'disabled',
  'runtime',
  'retries',
  'timeout',
  'options',
  'env_vars',
  'packages',
  'conditions',
  'context_version',
] as const;

interface ChoiceProps {
  readonly label: string;
  readonly name: 'from' | 'to';
  readonly versions: readonly Version[];
  readonly chosen: Version;
}

function Choice({ label, name, versions, chosen }: ChoiceProps) {
  const id = useId();
  return (
    <>
      <label for={id}>{label}</label>
      <select
        id={id}
        value={chosen.version}
        onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
      >
        {versions.map(({ version }) => (
          <option key={version} value={version}>
            {version}
          </option>
        ))}
      </select>
    </>
  );
}
