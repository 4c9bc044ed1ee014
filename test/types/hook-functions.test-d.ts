/**
 * What the contract says that a function gets is what the types for authors say; what the types let it answer, the
 * contract lets it answer. Never run.
 */

import type { components } from '../../generated/api-2.ts';
import type {
  MfaDevice,
  PreAuthenticationContexts,
  PreAuthenticationResult,
  UserMigrationContext,
  UserMigrationResult,
} from '../../types/hooks.js';

type Schemas = components['schemas'];
type Members<Value> = { readonly [Name in keyof Value]: Value[Name] };
/** Whether each type can stand for the other, with the same members. */
type Same<One, Other> = [Members<One>, keyof Other] extends [Members<Other>, keyof One]
  ? [Members<Other>, keyof One] extends [Members<One>, keyof Other]
    ? true
    : never
  : never;
/** An answer is JSON: what is left out is not there, and nothing is null. */
type Answered<Result> = Extract<Result, object | null>;

export const newest: Same<Schemas['PreAuthenticationContext'], PreAuthenticationContexts['1.1.0']> = true;
export const older: Same<Schemas['PreAuthenticationContextV1'], PreAuthenticationContexts['1.0.0']> = true;
export const migration: Same<Schemas['UserMigrationContext'], UserMigrationContext> = true;
export const device: Same<Schemas['HookMfaDevice'], MfaDevice> = true;

export const chosen = (answer: Answered<PreAuthenticationResult>): Schemas['PreAuthenticationAnswer'] => answer;
export const migrated = (answer: Answered<UserMigrationResult>): Schemas['UserMigrationAnswer'] => answer;
