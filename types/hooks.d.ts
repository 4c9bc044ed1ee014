// Types for the authors of Smart Hooks, for each version of the context. Copy this file beside a function and check it:
//
//     // @ts-check
//     /** @type {import('./hooks').PreAuthenticationHandler<'1.1.0'>} */
//     exports.handler = async (context) => ({ user: { policy_id: context.user.policy_id } });

type Awaitable<Value> = Value | Promise<Value>;

/** Where the sign-in comes from; with `location_enabled`. */
export interface Location {
  readonly ip: string;
  /** ISO 3166-1 alpha-2; null for an address that is in no country. */
  readonly country_code: string | null;
}

export type RiskReason =
  | 'new_device'
  | 'new_network'
  | 'new_country'
  | 'unusual_hour'
  | 'recent_failures'
  | 'impossible_travel';

/** How unusual the sign-in is; with `risk_enabled`. */
export interface Risk {
  /** 0 is as always; more is more unusual; at most 100. */
  readonly score: number;
  readonly reasons: readonly RiskReason[];
}

/** A second factor of the user; with `mfa_device_info_enabled`. */
export interface MfaDevice {
  readonly device_id: string;
  readonly auth_factor_id: number;
  readonly auth_factor_name: string;
  readonly type_display_name: string;
  readonly user_display_name: string;
  readonly default: boolean;
  /** ISO 8601 in UTC. */
  readonly created_at: string;
  readonly last_used_at: string | null;
}

interface Firing {
  /** Of the sign-in: the same in every hook that it fires. */
  readonly correlation_id: string;
  /** Of this run, as in its log. */
  readonly request_id: string;
}

/** What a `pre-authentication` function gets with `context_version` 1.0.0. */
export interface PreAuthenticationContextV1 extends Firing {
  readonly context_version: '1.0.0';
  readonly user: {
    /** As typed. */
    readonly user_identifier: string;
    /** Of the policy in force: the user's, the account's default, or the one an earlier hook chose. */
    readonly policy_id: number;
  };
  readonly device: {
    readonly user_agent: string | null;
    readonly is_mobile: boolean;
  };
  /** Present where nobody signs in: somebody asks what would happen. The answer has no effect. */
  readonly is_test?: boolean;
  readonly location?: Location;
  readonly risk?: Risk;
  readonly mfa_devices?: readonly MfaDevice[];
}

/** … and with 1.1.0. */
export interface PreAuthenticationContextV1M1 extends Omit<PreAuthenticationContextV1, 'context_version' | 'user'> {
  readonly context_version: '1.1.0';
  readonly user: PreAuthenticationContextV1['user'] & {
    readonly id: number;
    /** ISO 8601 in UTC; null before the first sign-in. */
    readonly last_login_success: string | null;
  };
  /**
   * Where a sign-in is to no app (account pages, links, delegated authentication): id 0, `uuid` all zeros. Id 0 also
   * where a client is known by its metadata document and no user has allowed it yet: `uuid` is the document's address.
   */
  readonly app: {
    readonly id: number;
    /** The `client_id`. */
    readonly uuid: string;
    readonly name: string;
  };
  /** Wrong passwords since the last sign-in; with `failed_login_attempts_enabled`. */
  readonly failed_login_attempts?: number;
}

export interface PreAuthenticationContexts {
  '1.0.0': PreAuthenticationContextV1;
  '1.1.0': PreAuthenticationContextV1M1;
}

/** `null` or nothing: the policy in force stays. `success: false`: nobody is let in. */
export type PreAuthenticationResult =
  | {
      readonly success?: boolean;
      readonly user?: { readonly policy_id?: number | null };
    }
  | null
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may end without an answer
  | void;

export type PreAuthenticationHandler<Version extends keyof PreAuthenticationContexts = '1.1.0'> = (
  context: PreAuthenticationContexts[Version],
) => Awaitable<PreAuthenticationResult>;

/** What a `user-migration` function gets; the same in every version. */
export interface UserMigrationContext extends Firing {
  readonly context_version: '1.0.0' | '1.1.0';
  readonly user_identifier: string;
  readonly password: string;
}

export interface MigratedUser {
  readonly username: string;
  readonly password: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly email: string;
  readonly external_id?: string;
  readonly department?: string;
  readonly title?: string;
  readonly phone?: string;
  readonly company?: string;
  readonly custom_attributes?: Readonly<Record<string, string | null>>;
}

/** Anything but a user is answered as a wrong password. */
export type UserMigrationResult =
  | { readonly success: true; readonly user: MigratedUser }
  | { readonly success: false }
  | null
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may end without an answer
  | void;

export type UserMigrationHandler = (context: UserMigrationContext) => Awaitable<UserMigrationResult>;
