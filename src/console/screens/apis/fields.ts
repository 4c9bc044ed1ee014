import type { FieldShape } from '../../parts/field.tsx';

const name: FieldShape = { name: 'name', label: 'Name', kind: 'text' };
const identifier: FieldShape = {
  name: 'configuration.resource_identifier',
  label: 'Identifier',
  kind: 'text',
  help: 'The address of the API, such as https://api.example.com: the audience of its tokens.',
};

export const newApiFields: readonly FieldShape[] = [name, identifier];

export const apiFields: readonly FieldShape[] = [
  name,
  { name: 'description', label: 'Description', kind: 'text' },
  identifier,
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
  {
    name: 'configuration.client_access',
    label: 'Which clients get tokens',
    kind: 'choice',
    options: [
      ['linked', 'Those that are linked to it'],
      ['consent', 'Any client, for open scopes, if the user agrees'],
    ],
  },
  { name: 'configuration.resource_metadata', label: 'Its metadata is public (RFC 9728)', kind: 'yes' },
];

export const scopeFields: readonly FieldShape[] = [
  { name: 'value', label: 'Scope', kind: 'text', help: 'As it appears in requests, such as orders:read.' },
  { name: 'description', label: 'What the user is asked', kind: 'text' },
  { name: 'open', label: 'Also for clients that are not linked', kind: 'yes' },
];

export const claimFields: readonly FieldShape[] = [
  { name: 'label', label: 'Claim', kind: 'text' },
  {
    name: 'user_attribute_mappings',
    label: 'Attribute of the user',
    kind: 'text',
    help: 'Such as email, department or custom_attribute_badge; _macro_ for a text.',
  },
  {
    name: 'user_attribute_macros',
    label: 'Text',
    kind: 'text',
    help: 'With _macro_: {attribute} is replaced with that attribute.',
  },
];
