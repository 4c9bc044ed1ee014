/**
 * The types that authors of hooks check against: each version of the context has what it has, and no more. Never run.
 */

import type { PreAuthenticationHandler, UserMigrationHandler } from '../../types/hooks.js';

export const newest: PreAuthenticationHandler = async ({
  context_version,
  user,
  app,
  failed_login_attempts = 0,
  risk,
}) => {
  const isUnusual = (risk?.score ?? 0) > 50 || failed_login_attempts > 3 || app.name === 'Payroll';
  const version: '1.1.0' = context_version;
  return { user: { policy_id: isUnusual && version ? 7 : user.policy_id } };
};

export const older: PreAuthenticationHandler<'1.0.0'> = (context) => {
  const version: '1.0.0' = context.context_version;
  // @ts-expect-error 1.0.0 does not tell the user's id
  const id: number = context.user.id;
  // @ts-expect-error nor the app
  const app = context.app;
  // @ts-expect-error flags decide whether there is a location
  const country: string = context.location.country_code;
  return version && id && app && country ? null : { success: false };
};

export const silent: PreAuthenticationHandler = () => {};

// @ts-expect-error a policy is named by its id
export const byName: PreAuthenticationHandler = () => ({ user: { policy_id: 'strict' } });

// @ts-expect-error there is no such version
export type Unknown = PreAuthenticationHandler<'2.0.0'>;

export const changing: PreAuthenticationHandler = (context) => {
  // @ts-expect-error changing the context changes nothing
  context.user.policy_id = 3;
};

export const migration: UserMigrationHandler = async ({ context_version, user_identifier, password }) => {
  const version: '1.0.0' | '1.1.0' = context_version;
  const names = { firstname: 'Ada', lastname: 'Lovelace', external_id: version };
  return { success: true, user: { username: user_identifier, email: user_identifier, password, ...names } };
};

// @ts-expect-error a user has an e-mail address
export const partial: UserMigrationHandler = ({ user_identifier: username, password }) => ({
  success: true,
  user: { username, password, firstname: 'Ada', lastname: 'Lovelace' },
});
