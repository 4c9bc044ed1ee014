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

/** Nothing that is chosen is the first of them. */
const newAuthMethods = [[null, 'client_secret_basic'] as const, ...authMethods.slice(1, 3)];

const name: FieldShape = { name: 'name', label: 'Name', kind: 'text' };
const redirects: FieldShape = {
  name: 'configuration.redirect_uri',
  label: 'Redirect URIs',
  kind: 'lines',
  help: 'One per line, exactly as the app sends them.',
};
const method: FieldShape = {
  name: 'configuration.token_endpoint_auth_method',
  label: 'Authentication at the token endpoint',
  kind: 'choice',
  options: authMethods,
};

export const newAppFields: readonly FieldShape[] = [name, { ...method, options: newAuthMethods }, redirects];

export const appFields: readonly FieldShape[] = [
  name,
  { name: 'description', label: 'Description', kind: 'text' },
  { name: 'notes', label: 'Notes', kind: 'text' },
  { name: 'icon_url', label: 'Icon URL', kind: 'text' },
  method,
  { name: 'configuration.oidc_application_type', label: 'Application type', kind: 'choice', options: types },
  { name: 'configuration.login_url', label: 'Login URL', kind: 'text', help: 'Where the app starts a sign-in.' },
  {
    name: 'configuration.access_token_expiration_minutes',
    label: 'Access token lifetime (minutes)',
    kind: 'number',
    help: '1 to 1440; empty: 60.',
  },
  {
    name: 'configuration.refresh_token_expiration_minutes',
    label: 'Idle refresh token lifetime (minutes)',
    kind: 'number',
    help: '1 to 525600; empty: as the account says.',
  },
  { name: 'visible', label: 'Shown to users', kind: 'yes' },
  redirects,
  {
    name: 'configuration.post_logout_redirect_uri',
    label: 'Redirect URIs after sign-out',
    kind: 'lines',
    help: 'One per line.',
  },
];
