import type { PolicyRecord } from '../../store/policies.ts';
import { Failure } from '../failure.ts';

/** The rules of a policy, without its id and name. */
export type PolicyRules = Omit<PolicyRecord, 'accountId' | 'id' | 'name' | 'isDefault' | 'createdAt' | 'updatedAt'>;

/** The rules of every new policy, the account's first one included. */
export const policyDefaults: PolicyRules = {
  minimumPasswordLength: 8,
  maximumInvalidLoginAttempts: 10,
  lockEffectiveMinutes: 15,
  sessionTimeoutMinutes: 30,
  sessionAbsoluteMinutes: 720,
  passwordExpirationDays: null,
  otpRequired: false,
};

type Numbers = Omit<PolicyRules, 'otpRequired'>;

/**
 * The wire name and the allowed range of each number. A password is never shorter than NIST SP 800-63B §3.1.1.2 allows,
 * and a pause is never so long that a stranger's guesses lock a user out for more than a day.
 */
const ranges = {
  minimumPasswordLength: ['minimum_password_length', 8, 256],
  maximumInvalidLoginAttempts: ['maximum_invalid_login_attempts', 1, 100],
  lockEffectiveMinutes: ['lock_effective_minutes', 1, 1_440],
  sessionTimeoutMinutes: ['session_timeout_minutes', 1, 1_440],
  sessionAbsoluteMinutes: ['session_absolute_minutes', 1, 43_200],
  passwordExpirationDays: ['password_expiration_days', 1, 3_650],
} as const satisfies { readonly [Rule in keyof Numbers]: readonly [name: string, least: number, most: number] };

/** The given rules if each is in its range; throws `value_invalid` with the rule's wire name. */
export function readRules(given: Partial<PolicyRules>): Partial<PolicyRules> {
  for (const [rule, [name, least, most]] of Object.entries(ranges)) {
    const value = given[rule as keyof Numbers];
    if (value === undefined || (value === null && rule === 'passwordExpirationDays')) continue;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) continue;
    throw new Failure('value_invalid', { name, message: `${name} must be a whole number from ${least} to ${most}` });
  }
  return given;
}

/** The members of a policy by their names on the wire. */
export function membersOf(policy: PolicyRecord) {
  return {
    id: policy.id,
    name: policy.name,
    is_default: policy.isDefault,
    minimum_password_length: policy.minimumPasswordLength,
    maximum_invalid_login_attempts: policy.maximumInvalidLoginAttempts,
    lock_effective_minutes: policy.lockEffectiveMinutes,
    session_timeout_minutes: policy.sessionTimeoutMinutes,
    session_absolute_minutes: policy.sessionAbsoluteMinutes,
    password_expiration_days: policy.passwordExpirationDays,
    otp_required: policy.otpRequired,
  };
}
