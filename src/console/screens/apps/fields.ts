import type { FieldShape } from '../../parts/field.tsx';

const types = [
  [0, 'Web'],
  [1, 'Native'],
] as const;

const authMethods = [
  [0, 'client_secret_basic'],
  [1, 'client_secret_post'],
  [2, 'none: a public client, with PKCE'],
  [3, 'private_key_jwt'],
  [4, 'tls_client_auth'],
  [5, 'self_signed_tls_client_auth'],
] as const;

const name: FieldShape = { name: 'name', label: 'Name', kind: 'text' };
const redirects: FieldShape = {
  name: 'configuration.redirect_uri',
  label: 'Redirect URIs',
  kind: 'lines',
  help: 'One a line, letter by letter as the app sends them.',
};
const method: FieldShape = {
  name: 'configuration.token_endpoint_auth_method',
  label: 'Authentication at the token endpoint',
  kind: 'choice',
  options: authMethods,
};

export const newAppFields: readonly FieldShape[] = [name, { ...method, options: authMethods.slice(0, 3) }, redirects];

export const appFields: readonly FieldShape[] = [
  name,
  { name: 'description', label: 'Description', kind: 'text' },
  { name: 'notes', label: 'Notes', kind: 'text' },
  { name: 'icon_url', label: 'Icon address', kind: 'text' },
  method,
  { name: 'configuration.oidc_application_type', label: 'Kind', kind: 'choice', options: types },
  { name: 'configuration.login_url', label: 'Login address', kind: 'text', help: 'Where the app starts a sign-in.' },
  {
    name: 'configuration.access_token_expiration_minutes',
    label: 'Access tokens live (minutes)',
    kind: 'number',
    help: '1 to 1440; empty: 60.',
  },
  {
    name: 'configuration.refresh_token_expiration_minutes',
    label: 'Unused refresh tokens live (minutes)',
    kind: 'number',
    help: '1 to 525600; empty: as the account says.',
  },
  { name: 'visible', label: 'Shown to users', kind: 'yes' },
  redirects,
  {
    name: 'configuration.post_logout_redirect_uri',
    label: 'Redirect URIs after sign-out',
    kind: 'lines',
    help: 'One a line.',
  },
];
