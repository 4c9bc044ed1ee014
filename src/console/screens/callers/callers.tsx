import { useState } from 'preact/hooks';
import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { whole } from '../../parts/pages.ts';
import { Screen } from '../../parts/screen.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { Things } from '../../parts/things.tsx';
import { Time } from '../../parts/time.tsx';

const scopes = [
  'read_users',
  'manage_users',
  'read_all',
  'manage_all',
  'register_clients',
  'authentication_only',
] as const;

type Shown = readonly (readonly [label: string, value: string])[];

/** Programs that call the service: credential pairs, and keys of the deprecated surfaces. */
export function Callers() {
  const [secret, setSecret] = useState<{ readonly title: string; readonly values: Shown } | null>(null);
  return (
    <Screen title="Callers">
      <Credentials show={(values) => setSecret({ title: 'The credential pair was created', values })} />
      <ApiKeys show={(values) => setSecret({ title: 'The key was created', values })} />
      {secret && <ShownOnce {...secret} close={() => setSecret(null)} />}
    </Screen>
  );
}

function Credentials({ show }: { readonly show: (values: Shown) => void }) {
  const asked = useAnswer(() => whole((query) => api.get('/api/2/credentials', { query })), []);
  return (
    <Things
      title="Credential pairs"
      asked={asked}
      canWrite
      keyOf={({ id }) => id}
      nameOf={({ client_id: client }) => client}
      columns={[
        { title: 'Client ID', cell: ({ client_id: client }) => <code>{client}</code> },
        { title: 'Scopes', cell: ({ scopes: given }) => given.join(', ') },
        { title: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
      ]}
      empty={<p>None yet. A program gets tokens of the management API with a pair.</p>}
      add={{
        label: 'New pair',
        fields: [
          { name: 'scopes', label: 'What it may do', kind: 'many', options: scopes.map((one) => [one, one] as const) },
        ],
        create: async (body) => {
          const { data } = await api.post('/api/2/credentials', {
            body: { scopes: [], ...body } as Schemas['CredentialCreate'],
          });
          show([
            ['Client ID', data.client_id],
            ['Client secret', data.client_secret],
          ]);
        },
      }}
      remove={{
        verb: 'Delete',
        loss: 'Its tokens end at once. This cannot be undone.',
        act: ({ id }) => api.delete('/api/2/credentials/{id}', { path: { id } }),
      }}
    />
  );
}

function ApiKeys({ show }: { readonly show: (values: Shown) => void }) {
  const asked = useAnswer(() => whole((query) => api.get('/api/2/api_keys', { query })), []);
  return (
    <Things
      title="Keys of the deprecated surfaces"
      asked={asked}
      canWrite
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      columns={[
        { title: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
        { title: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
      ]}
      empty={<p>None, which is best: new programs use a credential pair.</p>}
      add={{
        label: 'New key',
        fields: [{ name: 'name', label: 'Name', kind: 'text' }],
        create: async (body) => {
          const { data } = await api.post('/api/2/api_keys', { body: body as Schemas['ApiKeyCreate'] });
          show([['API key', data.api_key]]);
        },
      }}
      remove={{
        verb: 'Delete',
        loss: 'Programs that use it are refused at once. This cannot be undone.',
        act: ({ id }) => api.delete('/api/2/api_keys/{id}', { path: { id } }),
      }}
    />
  );
}
