import type { components } from '../../../generated/api-2.ts';
import type { FullUser } from '../../domain/users/full-user.ts';
import { isEmailVerified } from '../../domain/users/names.ts';

/** ISO 8601 in UTC with milliseconds. */
export function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function optionalTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : time(milliseconds);
}

export function representUser(user: FullUser): components['schemas']['User'] {
  return {
    id: user.id,
    email: user.email,
    email_verified: isEmailVerified(user),
    username: user.username,
    firstname: user.firstname,
    lastname: user.lastname,
    title: user.title,
    department: user.department,
    company: user.company,
    phone: user.phone,
    comment: user.comment,
    external_id: user.externalId,
    group_id: user.groupId,
    role_ids: user.roleIds,
    manager_user_id: user.managerUserId,
    preferred_locale_code: user.preferredLocaleCode,
    policy_id: user.policyId,
    custom_attributes: user.customAttributes,
    status: user.status,
    state: user.state,
    invalid_login_attempts: user.invalidLoginAttempts,
    locked_until: optionalTime(user.lockedUntil),
    activated_at: optionalTime(user.activatedAt),
    last_login: optionalTime(user.lastLogin),
    invitation_sent_at: optionalTime(user.invitationSentAt),
    password_changed_at: optionalTime(user.passwordChangedAt),
    created_at: time(user.createdAt),
    updated_at: time(user.updatedAt),
  };
}
