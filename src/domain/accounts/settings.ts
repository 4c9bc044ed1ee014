import { Failure } from '../failure.ts';
import { type Limit, type LimitName, type LimitSetting, limitSettings, readLimits } from './limit-settings.ts';
import type { Setting } from './setting.ts';
import {
  type DeprecatedSurface,
  readSurfaces,
  type SurfaceSetting,
  type SurfaceSettings,
  surfaceSettings,
} from './surface-settings.ts';

/** The settings of an account (`gatehouse account set`), parsed. */
export interface AccountSettings {
  readonly registration: 'closed' | 'token' | 'open';
  /** What all clients of the account must follow beyond the rest. */
  readonly securityProfile: 'none' | 'fapi2';
  /** Names of the roles given to the apps of clients that are registered with a token. */
  readonly registrationRoles: readonly string[];
  /** Names of the roles given to the apps of open-registered clients. */
  readonly openRegistrationRoles: readonly string[];
  /** Whether consent to an open-registered client outlives the sign-in. */
  readonly openRegistrationConsent: 'always' | 'remembered';
  /** Number of days after which an unused open-registered client expires; 0: never. */
  readonly openRegistrationUnusedDays: number;
  /** Number of days since its last use after which it expires; 0: never. */
  readonly openRegistrationIdleDays: number;
  readonly passwordGrant: boolean;
  /** Whether the authorization endpoint issues tokens (OpenID Connect Core §3.2). */
  readonly implicitGrant: boolean;
  /** Whether an id token repeats the claims of scopes that userinfo answers (OpenID Connect Core §5.4). */
  readonly idTokenClaims: 'full' | 'minimal';
  /** What a sign-in does when all runs of a hook fail. */
  readonly hookFailure: 'deny' | 'continue';
  /** Whether hooks also run when a session is first used for an app, or only at sign-ins. */
  readonly hookOnSso: 'never' | 'each_app';
  /** Whether contexts are stored, sealed, so that runs can be replayed. */
  readonly hookReplay: boolean;
  /** Names of the roles given to users that a user-migration creates. */
  readonly hookMigrationRoles: readonly string[];
  readonly refreshGraceSeconds: number;
  readonly refreshIdleDays: number;
  readonly refreshAbsoluteDays: number;
  readonly signingKeyBits: 2048 | 3072;
  readonly limits: Readonly<Record<LimitName, Limit | null>>;
  readonly surfaces: Readonly<Record<DeprecatedSurface, SurfaceSettings>>;
}

const alternatives = new Intl.ListFormat('en', { type: 'disjunction' });

function oneOf<const Value extends string>(fallback: Value, values: readonly Value[]): Setting<Value> {
  return {
    fallback,
    allowed: alternatives.format(values.map((value) => `\`${value}\``)),
    parse: (text) => values.find((value) => value === text),
  };
}

function wholeNumber(fallback: number, least: number, most: number): Setting<number> {
  return {
    fallback: String(fallback),
    allowed: `a whole number from ${least} to ${most}`,
    parse: (text) => {
      const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

const onOff: Setting<'on' | 'off'> = oneOf('off', ['on', 'off']);

const names: Setting<readonly string[]> = {
  fallback: '',
  allowed: 'names separated by commas',
  parse: (text) =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
};

const settings = {
  registration: oneOf('token', ['closed', 'token', 'open']),
  security_profile: oneOf('none', ['none', 'fapi2']),
  registration_roles: names,
  open_registration_roles: names,
  open_registration_consent: oneOf('always', ['always', 'remembered']),
  'open_registration.unused_days': wholeNumber(30, 0, 3650),
  'open_registration.idle_days': wholeNumber(180, 0, 3650),
  'grant.password': onOff,
  'grant.implicit': onOff,
  id_token_claims: oneOf('full', ['full', 'minimal']),
  hook_failure: oneOf('deny', ['deny', 'continue']),
  hook_on_sso: oneOf('never', ['never', 'each_app']),
  hook_replay: oneOf('on', ['on', 'off']),
  hook_migration_roles: names,
  'refresh.grace_seconds': wholeNumber(10, 0, 60),
  'refresh.idle_days': wholeNumber(14, 1, 365),
  'refresh.absolute_days': wholeNumber(90, 1, 3650),
  signing_key_bits: oneOf('2048', ['2048', '3072']),
  ...limitSettings,
  ...surfaceSettings,
} satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;

/** Every setting with its default and allowed values, for the command line's help. */
export const settingNames = Object.keys(settings) as SettingName[];

type ValueOf<Name extends SettingName> = Exclude<ReturnType<(typeof settings)[Name]['parse']>, undefined>;

function read<Name extends SettingName>(stored: Readonly<Record<string, string>>, name: Name): ValueOf<Name> {
  const setting = settings[name] as unknown as Setting<ValueOf<Name>>;
  const value = setting.parse(stored[name] ?? setting.fallback);
  if (value === undefined) throw new Failure('internal', { reason: `stored setting ${name} cannot be read` });
  return value;
}

/** The stored settings with defaults filled in. */
export function parseSettings(stored: Readonly<Record<string, string>>): AccountSettings {
  const securityProfile = read(stored, 'security_profile');
  // FAPI 2.0 has neither of the two grants (§5.3.2.1, §5.3.2.2).
  const isSwitchedOn = (name: 'grant.password' | 'grant.implicit') =>
    securityProfile !== 'fapi2' && read(stored, name) === 'on';
  return {
    registration: read(stored, 'registration'),
    securityProfile,
    registrationRoles: read(stored, 'registration_roles'),
    openRegistrationRoles: read(stored, 'open_registration_roles'),
    openRegistrationConsent: read(stored, 'open_registration_consent'),
    openRegistrationUnusedDays: read(stored, 'open_registration.unused_days'),
    openRegistrationIdleDays: read(stored, 'open_registration.idle_days'),
    passwordGrant: isSwitchedOn('grant.password'),
    implicitGrant: isSwitchedOn('grant.implicit'),
    idTokenClaims: read(stored, 'id_token_claims'),
    hookFailure: read(stored, 'hook_failure'),
    hookOnSso: read(stored, 'hook_on_sso'),
    hookReplay: read(stored, 'hook_replay') === 'on',
    hookMigrationRoles: read(stored, 'hook_migration_roles'),
    refreshGraceSeconds: read(stored, 'refresh.grace_seconds'),
    refreshIdleDays: read(stored, 'refresh.idle_days'),
    refreshAbsoluteDays: read(stored, 'refresh.absolute_days'),
    signingKeyBits: read(stored, 'signing_key_bits') === '3072' ? 3072 : 2048,
    limits: readLimits(<Name extends LimitSetting>(name: Name) => read(stored, name)),
    surfaces: readSurfaces(<Name extends SurfaceSetting>(name: Name) => read(stored, name)),
  };
}

/**
 * Changes stored settings; an empty value restores the default.
 * Throws `value_invalid` with the setting's name and what is allowed.
 */
export function changeSettings(
  stored: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string>>,
): Record<string, string> {
  const changed: Record<string, string> = { ...stored };
  for (const [name, text] of Object.entries(changes)) {
    if (!isSettingName(name)) {
      throw new Failure('value_invalid', {
        name,
        message: `unknown setting ${name}; settings are ${settingNames.join(', ')}`,
      });
    }
    if (text === '') {
      delete changed[name];
      continue;
    }
    if (settings[name].parse(text) === undefined) {
      throw new Failure('value_invalid', { name, message: `${name} must be ${settings[name].allowed}` });
    }
    changed[name] = text;
  }
  return changed;
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}
