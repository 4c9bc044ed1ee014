import type { components } from '../../../generated/xml.ts';
import type { FullUser } from '../../domain/users/full-user.ts';

/** ISO 8601 with milliseconds and a numeric offset, as the clients of this surface read it. */
function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '+00:00');
}

function optionalTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : time(milliseconds);
}

export function representUser(user: FullUser): components['schemas']['User'] {
  return {
    'activated-at': optionalTime(user.activatedAt),
    'created-at': time(user.createdAt),
    email: user.email,
    firstname: user.firstname,
    'group-id': user.groupId,
    id: user.id,
    'invalid-login-attempts': user.invalidLoginAttempts,
    'invitation-sent-at': optionalTime(user.invitationSentAt),
    'last-login': optionalTime(user.lastLogin),
    lastname: user.lastname,
    'locked-until': optionalTime(user.lockedUntil),
    notes: user.comment,
    'openid-name': user.username,
    'password-changed-at': optionalTime(user.passwordChangedAt),
    phone: user.phone,
    'role-id': user.roleIds[0] ?? null,
    status: user.status,
    'updated-at': time(user.updatedAt),
    'user-type': 0,
  };
}
