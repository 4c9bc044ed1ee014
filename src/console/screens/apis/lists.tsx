import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { say } from '../../parts/notices.tsx';
import { whole } from '../../parts/pages.ts';
import { Things } from '../../parts/things.tsx';
import { hrefOf } from '../../routing/address.ts';
import { claimFields, scopeFields } from './fields.ts';

interface OfApi {
  readonly id: number;
}

export function ApiScopes({ id }: OfApi) {
  const path = { id };
  const asked = useAnswer(
    () => whole((query) => api.get('/api/2/api_authorizations/{id}/scopes', { path, query })),
    [id],
  );
  return (
    <Things
      title="Scopes"
      asked={asked}
      canWrite
      keyOf={(scope) => scope.id}
      nameOf={({ value }) => value}
      columns={[
        { title: 'Scope', cell: ({ value }) => <code>{value}</code> },
        { title: 'What the user is asked', cell: ({ description }) => <bdi>{description ?? '–'}</bdi> },
        { title: 'Who', cell: (scope) => <Who scope={scope} api={id} again={asked.again} /> },
      ]}
      empty={<p>No scope yet. Clients ask for scopes, and users agree to them.</p>}
      add={{
        label: 'New scope',
        fields: scopeFields,
        create: (body) =>
          api.post('/api/2/api_authorizations/{id}/scopes', { path, body: body as Schemas['ScopeCreate'] }),
      }}
      remove={{
        verb: 'Delete',
        loss: 'Tokens do not get it any more.',
        act: ({ id: scope }) =>
          api.delete('/api/2/api_authorizations/{id}/scopes/{scope_id}', { path: { id, scope_id: scope } }),
      }}
    />
  );
}

interface WhoProps {
  readonly scope: Required<Schemas['Scope']>;
  /** The id of the API. */
  readonly api: number;
  readonly again: () => Promise<void>;
}

/** Which clients can have a scope, with the button that changes it. */
function Who({ scope: { id, value, open }, api: of, again }: WhoProps) {
  const path = { id: of, scope_id: id };
  return (
    <>
      {open ? 'any client' : 'linked clients'}{' '}
      <ConfirmButton
        label={open ? 'Only linked' : 'Any client'}
        of={value}
        title={`Who can have ${value}?`}
        words={
          open
            ? 'Only linked clients will get it. Access tokens of other clients that have it end.'
            : 'Any client whose user agrees will get it, where the API lets clients without a link in.'
        }
        verb={open ? 'Only linked clients' : 'Any client'}
        isLoss={open}
        act={async () => {
          await api.put('/api/2/api_authorizations/{id}/scopes/{scope_id}', { path, body: { open: !open } });
          await again();
          say(`${value} was changed.`);
        }}
      />
    </>
  );
}

export function ApiClaims({ id }: OfApi) {
  const path = { id };
  const asked = useAnswer(
    () => whole((query) => api.get('/api/2/api_authorizations/{id}/claims', { path, query })),
    [id],
  );
  return (
    <Things
      title="Claims"
      asked={asked}
      canWrite
      keyOf={(claim) => claim.id}
      nameOf={({ label }) => label}
      columns={[
        { title: 'Claim', cell: ({ label }) => <code>{label}</code> },
        {
          title: 'From',
          cell: ({ user_attribute_mappings: attribute, user_attribute_macros: text }) => (
            <code>{text ?? attribute}</code>
          ),
        },
      ]}
      empty={<p>No claim yet. A claim puts an attribute of the user into the access tokens.</p>}
      add={{
        label: 'New claim',
        fields: claimFields,
        create: (body) =>
          api.post('/api/2/api_authorizations/{id}/claims', { path, body: body as Schemas['ClaimCreate'] }),
      }}
      remove={{
        verb: 'Delete',
        loss: 'New tokens do not contain it.',
        act: ({ id: claim }) =>
          api.delete('/api/2/api_authorizations/{id}/claims/{claim_id}', { path: { id, claim_id: claim } }),
      }}
    />
  );
}

export function ApiClients({ id }: OfApi) {
  const path = { id };
  const asked = useAnswer(
    () => whole((query) => api.get('/api/2/api_authorizations/{id}/clients', { path, query })),
    [id],
  );
  const scopes = useAnswer(
    () => whole((query) => api.get('/api/2/api_authorizations/{id}/scopes', { path, query })),
    [id],
  );
  const apps = useAnswer(() => whole((query) => api.get('/api/2/apps', { query })), []);
  return (
    <Things
      title="Clients"
      asked={asked}
      canWrite
      keyOf={({ app_id: app }) => app}
      nameOf={({ name, app_id: app }) => name || `App ${app}`}
      columns={[
        {
          title: 'App',
          cell: ({ app_id: app, name }) => (
            <a href={hrefOf(`apps/${app}`)}>
              <bdi>{name || `App ${app}`}</bdi>
            </a>
          ),
        },
        { title: 'Scopes', cell: ({ scopes: given }) => <code>{given.map(({ value }) => value).join(' ')}</code> },
      ]}
      empty={<p>No client is linked yet. Link an app, and it can ask for the scopes that you choose.</p>}
      add={{
        label: 'Link an app',
        fields: [
          {
            name: 'app_id',
            label: 'App',
            kind: 'choice',
            options: [[null, 'Choose…'], ...(apps.answer?.data ?? []).map(({ id: app, name }) => [app, name] as const)],
          },
          {
            name: 'scopes',
            label: 'Scopes',
            kind: 'many',
            options: (scopes.answer?.data ?? []).map(({ id: scope, value }) => [scope, value] as const),
          },
        ],
        create: (body) =>
          api.post('/api/2/api_authorizations/{id}/clients', {
            path,
            body: { scopes: [], ...body } as unknown as Schemas['ClientLinkCreate'],
          }),
      }}
      remove={{
        verb: 'Unlink',
        loss: 'The app gets no more tokens for this API.',
        act: ({ app_id: app }) =>
          api.delete('/api/2/api_authorizations/{id}/clients/{app_id}', { path: { id, app_id: app } }),
      }}
    />
  );
}
