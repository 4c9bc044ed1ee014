import { useState } from 'preact/hooks';
import { api, ifMatch } from '../../api/api.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { EditForm } from '../../parts/edit-form.tsx';
import type { FieldShape } from '../../parts/field.tsx';
import { Screen, Section, Waiting } from '../../parts/screen.tsx';
import { Search } from '../../parts/search.tsx';
import { List } from '../../parts/table.tsx';
import { useAddress } from '../../routing/address.ts';
import { SigningKeys } from './keys.tsx';

/** The settings of the account, with the bounds that the service has for each, and its signing keys. */
export function Settings() {
  const { query } = useAddress();
  const text = query.get('q') ?? '';
  const asked = useAnswer(() => api.get('/api/2/account-settings', { query: { limit: 1000 } }), []);
  const [edited, setEdited] = useState<string | null>(null);
  const wanted = text.toLowerCase();
  const shown = asked.answer && {
    ...asked.answer,
    headers: new Headers(),
    data: asked.answer.data.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(wanted)),
  };
  return (
    <Screen title="Settings and keys">
      <SigningKeys />
      <Section title="Settings">
        <Search label="Search settings" hint="Part of a name or of what it does" text={text} />
        <List
          caption="Settings"
          asked={{ ...asked, answer: shown }}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Name', cell: ({ name }) => <code>{name}</code> },
            {
              title: 'Value',
              cell: ({ value, default: usual }) => (
                <>
                  <code>{value === '' ? 'none' : value}</code>
                  {value === usual && <span class="quiet"> (default)</span>}
                </>
              ),
            },
            { title: 'What it does', cell: ({ description }) => sentence(description) },
            {
              title: 'Actions',
              cell: ({ name, changeable }) =>
                changeable ? (
                  <button type="button" aria-label={`Change ${name}`} onClick={() => setEdited(name)}>
                    Change
                  </button>
                ) : (
                  <span class="quiet">on the command line</span>
                ),
            },
          ]}
          empty={<p>No setting matches.</p>}
        />
      </Section>
      {edited !== null && (
        <Edited
          name={edited}
          close={() => {
            setEdited(null);
            void asked.again();
          }}
        />
      )}
    </Screen>
  );
}

function Edited({ name, close }: { readonly name: string; readonly close: () => void }) {
  const path = { name };
  const { answer, again } = useAnswer(() => api.get('/api/2/account-settings/{name}', { path }), [name]);
  if (!answer) {
    return (
      <Dialog title={name} close={close}>
        <Waiting />
      </Dialog>
    );
  }
  const { values, allowed, default: usual } = answer.data;
  const help = `${sentence(allowed)} Default: ${usual === '' ? 'none' : usual}.`;
  const field: FieldShape = values
    ? { name: 'value', label: 'Value', kind: 'choice', options: values.map((one) => [one, one] as const), help }
    : { name: 'value', label: 'Value', kind: 'text', help: `${help} Empty: the default.` };
  return (
    <Dialog title={name} close={close}>
      <EditForm
        fields={[field]}
        value={answer.data}
        canWrite
        verb="Save"
        done={`${name} was saved.`}
        save={async ({ value }) => {
          const body = { value: value === null ? null : String(value) };
          await api.put('/api/2/account-settings/{name}', { path, header: ifMatch(answer.tag), body });
          close();
        }}
        again={again}
      />
    </Dialog>
  );
}

function sentence(text: string): string {
  const plain = text.replaceAll('`', '');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
}
