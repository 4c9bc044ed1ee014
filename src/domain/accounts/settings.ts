import type { KeyAlgorithm } from '../../store/keys.ts';
import { Failure } from '../failure.ts';
import { type ClaimsMapping, claimsMapping } from './claims-mapping.ts';
import { type ConsoleRules, consoleSettings } from './console-settings.ts';
import { type DocumentRules, documentSettings } from './document-hosts.ts';
import { type HookRules, hookSettings } from './hook-settings.ts';
import { type Limit, type LimitName, type LimitSetting, limitSettings, readLimits } from './limit-settings.ts';
import { type MutualTls, mutualTlsSettings } from './mutual-tls-settings.ts';
import { oneOf, onOff, rolesOfApps, type Setting, wholeNumber } from './setting.ts';
import {
  type DeprecatedSurface,
  readSurfaces,
  type SurfaceSetting,
  type SurfaceSettings,
  surfaceSettings,
} from './surface-settings.ts';

/** The settings of an account (`gatehouse account set`), parsed. */
export interface AccountSettings extends MutualTls, DocumentRules, HookRules, ConsoleRules {
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
  readonly claimsMapping: ClaimsMapping;
  readonly refreshGraceSeconds: number;
  readonly refreshIdleDays: number;
  readonly refreshAbsoluteDays: number;
  readonly signingKeyBits: 2048 | 3072;
  /** Signs the id tokens of new clients that name no algorithm; FAPI 2.0 has a rule of its own. */
  readonly idTokenSigningAlg: KeyAlgorithm;
  readonly limits: Readonly<Record<LimitName, Limit | null>>;
  readonly surfaces: Readonly<Record<DeprecatedSurface, SurfaceSettings>>;
}

/** The one place where settings are declared; the tables for readers are made of it. */
const settings = {
  registration: oneOf(
    'token',
    ['closed', 'token', 'open'],
    'who may register clients: nobody, programs with an access token for it, or everybody',
  ),
  security_profile: oneOf(
    'none',
    ['none', 'fapi2'],
    'what every client must follow beyond the rest: nothing, or FAPI 2.0',
  ),
  ...mutualTlsSettings,
  registration_roles: rolesOfApps('a client that is registered with a token'),
  open_registration_roles: rolesOfApps('a client of open registration'),
  open_registration_consent: oneOf(
    'always',
    ['always', 'remembered'],
    'whether consent to a client of open registration is asked for at every sign-in, or kept',
  ),
  'open_registration.unused_days': wholeNumber(
    30,
    0,
    3650,
    'days after which a client of open registration expires that was never used; 0: never',
  ),
  'open_registration.idle_days': wholeNumber(
    180,
    0,
    3650,
    'days since its last use after which a client of open registration expires; 0: never',
  ),
  ...documentSettings,
  'grant.password': onOff('off', 'whether clients may exchange a password for tokens (grant type `password`)'),
  'grant.implicit': onOff('off', 'whether the authorization endpoint answers tokens (the implicit flow)'),
  id_token_claims: oneOf(
    'full',
    ['full', 'minimal'],
    'whether an id token that comes with an access token repeats the claims of `profile`, `email`, `address` and `phone`',
  ),
  claims_mapping: claimsMapping,
  ...hookSettings,
  ...consoleSettings,
  'refresh.grace_seconds': wholeNumber(10, 0, 60, 'how long a repeated refresh token gets the same answer'),
  'refresh.idle_days': wholeNumber(14, 1, 365, 'days without use after which a refresh token expires'),
  'refresh.absolute_days': wholeNumber(90, 1, 3650, 'days since the sign-in after which its refresh tokens expire'),
  signing_key_bits: oneOf('2048', ['2048', '3072'], 'size of the RSA keys that the next rotations make'),
  id_token_signing_alg: oneOf(
    'RS256',
    ['RS256', 'ES256'],
    'algorithm that signs the id tokens of clients made from now on, unless a registration names one',
  ),
  ...limitSettings,
  ...surfaceSettings,
} satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;

const settingNames = Object.keys(settings) as SettingName[];

/** A setting for readers. `value` is the one in force. */
export interface ShownSetting extends Pick<Setting<unknown>, 'meaning' | 'fallback' | 'allowed' | 'form'> {
  readonly name: SettingName;
  readonly value: string;
}

/** Every setting there is, with the values of an account; without one with the defaults. */
export function showSettings(stored: Readonly<Record<string, string>> = {}): ShownSetting[] {
  return settingNames.map((name) => {
    const { meaning, fallback, allowed, form } = settings[name];
    return { name, value: stored[name] ?? fallback, meaning, fallback, allowed, form };
  });
}

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
    mutualTls: read(stored, 'mutual_tls'),
    mutualTlsOrigin: read(stored, 'mutual_tls_origin'),
    registrationRoles: read(stored, 'registration_roles'),
    openRegistrationRoles: read(stored, 'open_registration_roles'),
    openRegistrationConsent: read(stored, 'open_registration_consent'),
    openRegistrationUnusedDays: read(stored, 'open_registration.unused_days'),
    openRegistrationIdleDays: read(stored, 'open_registration.idle_days'),
    documentHosts: read(stored, 'client_id_metadata_documents'),
    documentRoles: read(stored, 'client_id_metadata_roles'),
    passwordGrant: isSwitchedOn('grant.password'),
    implicitGrant: isSwitchedOn('grant.implicit'),
    idTokenClaims: read(stored, 'id_token_claims'),
    claimsMapping: read(stored, 'claims_mapping'),
    hookFailure: read(stored, 'hook_failure'),
    hookOnSso: read(stored, 'hook_on_sso'),
    hookReplay: read(stored, 'hook_replay') === 'on',
    hookLogBytes: read(stored, 'hook_log_megabytes') * 1_000_000,
    hookMigrationRoles: read(stored, 'hook_migration_roles'),
    console: read(stored, 'console') === 'on',
    administratorSecondFactor: read(stored, 'administrators.second_factor') === 'on',
    refreshGraceSeconds: read(stored, 'refresh.grace_seconds'),
    refreshIdleDays: read(stored, 'refresh.idle_days'),
    refreshAbsoluteDays: read(stored, 'refresh.absolute_days'),
    signingKeyBits: read(stored, 'signing_key_bits') === '3072' ? 3072 : 2048,
    idTokenSigningAlg: securityProfile === 'fapi2' ? 'RS256' : read(stored, 'id_token_signing_alg'),
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
      const message = `unknown setting ${name}; settings are ${settingNames.join(', ')}`;
      throw new Failure('value_invalid', { name, message });
    }
    if (text === '') {
      delete changed[name];
      continue;
    }
    const { parse, isWithinBounds = () => true }: Setting<unknown> = settings[name] as Setting<unknown>;
    const value = parse(text);
    if (value === undefined || !isWithinBounds(value)) {
      // Code marks are for the documentation.
      const allowed = settings[name].allowed.replaceAll('`', '');
      throw new Failure('value_invalid', { name, message: `${name} must be ${allowed}` });
    }
    changed[name] = text;
  }
  return changed;
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}
