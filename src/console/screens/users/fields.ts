import type { FieldShape } from '../../parts/field.tsx';
import { statuses } from './words.ts';

export const nameFields: readonly FieldShape[] = [
  { name: 'email', label: 'E-mail', kind: 'text' },
  { name: 'username', label: 'User name', kind: 'text' },
  { name: 'firstname', label: 'First name', kind: 'text' },
  { name: 'lastname', label: 'Last name', kind: 'text' },
];

export const profileFields: readonly FieldShape[] = [
  ...nameFields,
  { name: 'status', label: 'Status', kind: 'choice', options: statuses },
  { name: 'title', label: 'Title', kind: 'text' },
  { name: 'department', label: 'Department', kind: 'text' },
  { name: 'company', label: 'Company', kind: 'text' },
  { name: 'phone', label: 'Phone', kind: 'text' },
  { name: 'preferred_locale_code', label: 'Language', kind: 'text', help: 'A tag such as en-GB.' },
  { name: 'external_id', label: 'External ID', kind: 'text' },
  { name: 'comment', label: 'Notes', kind: 'text' },
];
