/** Settings for Smart Hooks. */

import { oneOf, onOff, roleNames, type Setting, wholeNumber } from './setting.ts';

export interface HookRules {
  /** What a sign-in does when all runs of a hook fail. */
  readonly hookFailure: 'deny' | 'continue';
  /** Whether hooks also run when a session is first used for an app, or only at sign-ins. */
  readonly hookOnSso: 'never' | 'each_app';
  /** Whether contexts are stored, sealed, so that runs can be replayed. */
  readonly hookReplay: boolean;
  /** What the records of hooks' runs may take, in bytes. */
  readonly hookLogBytes: number;
  /** Names of the roles given to users that a user-migration creates. */
  readonly hookMigrationRoles: readonly string[];
}

export const hookSettings = {
  hook_failure: oneOf('deny', ['deny', 'continue'], 'what a sign-in does when all runs of a hook fail'),
  hook_on_sso: oneOf(
    'never',
    ['never', 'each_app'],
    'whether hooks also run when a session is first used for another app',
  ),
  hook_replay: onOff('on', 'whether contexts of runs are kept, sealed, for `gatehouse hook replay`'),
  hook_log_megabytes: wholeNumber(
    2_000,
    100,
    100_000,
    "how much of the hooks' logs is kept, in millions of bytes; the oldest runs go first",
  ),
  hook_migration_roles: roleNames('roles of the users that a `user-migration` hook creates'),
} satisfies Record<string, Setting<unknown>>;
