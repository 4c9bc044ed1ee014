/** Mapping between columns and fields of users and custom attributes. */

import type { CustomAttributeRecord } from '../attributes.ts';
import type { TokenUser, UserDetails, UserKeys, UserRecord } from '../users.ts';
import { shape } from './shape.ts';

const ofTokens = {
  accountId: 'account_id',
  id: 'id',
  email: 'email',
  verifiedEmail: 'verified_email',
  username: 'username',
  firstname: 'firstname',
  lastname: 'lastname',
  status: 'status',
  signedOutAt: 'signed_out_at',
  updatedAt: 'updated_at',
} as const;

export const tokenUsers = shape<TokenUser>('users', 'id', ofTokens);

export const users = shape<UserRecord>('users', 'id', {
  ...ofTokens,
  passwordDigest: 'password_digest',
  invalidLoginAttempts: 'invalid_login_attempts',
  lockedUntil: 'locked_until',
  lastLogin: 'last_login',
  passwordChangedAt: 'password_changed_at',
  activatedAt: 'activated_at',
  createdAt: 'created_at',
  emailHeldUntil: 'email_held_until',
  emailWrittenAt: 'email_written_at',
  meansVersion: 'means_version',
});

export const userKeys = shape<UserKeys>('users', null, { emailKey: 'email_key', usernameKey: 'username_key' });

export const userDetails = shape<UserDetails>('users', null, {
  title: 'title',
  department: 'department',
  company: 'company',
  phone: 'phone',
  comment: 'comment',
  externalId: 'external_id',
  groupId: 'group_id',
  managerUserId: 'manager_user_id',
  preferredLocaleCode: 'preferred_locale_code',
  policyId: 'policy_id',
  state: 'state',
  invitationSentAt: 'invitation_sent_at',
});

export const customAttributes = shape<CustomAttributeRecord>('custom_attributes', 'id', {
  accountId: 'account_id',
  id: 'id',
  name: 'name',
  shortname: 'shortname',
  position: 'position',
  createdAt: 'created_at',
});
