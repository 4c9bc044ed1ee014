import type { FieldShape } from '../../parts/field.tsx';

export const policyFields: readonly FieldShape[] = [
  { name: 'name', label: 'Name', kind: 'text' },
  { name: 'is_default', label: 'Applies by default', kind: 'yes' },
  { name: 'otp_required', label: 'Second factor required', kind: 'yes' },
  { name: 'minimum_password_length', label: 'Minimum password length', kind: 'number', help: '8 to 256 characters.' },
  {
    name: 'password_expiration_days',
    label: 'Passwords expire after (days)',
    kind: 'number',
    help: '1 to 3650; empty: never.',
  },
  {
    name: 'maximum_invalid_login_attempts',
    label: 'Wrong passwords in a row until a pause',
    kind: 'number',
    help: '1 to 100.',
  },
  { name: 'lock_effective_minutes', label: 'Pause (minutes)', kind: 'number', help: '1 to 1440.' },
  {
    name: 'session_timeout_minutes',
    label: 'Idle session timeout (minutes)',
    kind: 'number',
    help: '1 to 1440.',
  },
  {
    name: 'session_absolute_minutes',
    label: 'Maximum session length (minutes)',
    kind: 'number',
    help: '1 to 43200.',
  },
];
