/** Settings as programs read and change them over the management API. */

import type { Services } from '../../services.ts';
import { Failure } from '../failure.ts';
import type { Account } from './account.ts';
import { setAccount } from './accounts.ts';
import type { LimitSetting } from './limit-settings.ts';
import { type SettingName, type ShownSetting, showSettings } from './settings.ts';

/**
 * Whether the account itself may change it. What protects the machine, says what stands in front of the service, or
 * makes it fetch from elsewhere is the operator's, who has the command line; so are all limits.
 */
const changeable: Readonly<Record<Exclude<SettingName, LimitSetting>, boolean>> = {
  registration: true,
  security_profile: true,
  mutual_tls: false,
  mutual_tls_origin: false,
  registration_roles: true,
  open_registration_roles: true,
  open_registration_consent: true,
  'open_registration.unused_days': true,
  'open_registration.idle_days': true,
  client_id_metadata_documents: false,
  client_id_metadata_roles: true,
  'grant.password': true,
  'grant.implicit': true,
  id_token_claims: true,
  claims_mapping: true,
  hook_failure: true,
  hook_on_sso: true,
  hook_replay: true,
  hook_log_megabytes: false,
  hook_migration_roles: true,
  // No administrator frees administrators of a demand, or closes the door behind the others.
  console: false,
  'administrators.second_factor': false,
  'refresh.grace_seconds': true,
  'refresh.idle_days': true,
  'refresh.absolute_days': true,
  signing_key_bits: true,
  id_token_signing_alg: true,
  'surface.api-v1': true,
  'surface.api-v3': true,
  'surface.xml': true,
  'sunset.api-v1': true,
  'sunset.api-v3': true,
  'sunset.xml': true,
  'brownout.api-v1': true,
  'brownout.api-v3': true,
  'brownout.xml': true,
};

/** A setting, and whether the management API changes it. */
export interface RemoteSetting extends ShownSetting {
  readonly isChangeable: boolean;
}

function isChangeable(name: SettingName): boolean {
  return !isLimit(name) && changeable[name];
}

function isLimit(name: SettingName): name is LimitSetting {
  return name.startsWith('limit.');
}

/** The settings as they are stored now; `account` may have been read before. */
export async function readSettings({ store }: Pick<Services, 'store'>, account: Account): Promise<RemoteSetting[]> {
  return settingsOf((await store.accounts.findBySubdomain(account.subdomain)) ?? account.record);
}

function settingsOf({ settings }: Account['record']): RemoteSetting[] {
  return showSettings(settings).map((setting) => ({ ...setting, isChangeable: isChangeable(setting.name) }));
}

/** Throws `not_found`. */
export async function requireSetting(
  services: Pick<Services, 'store'>,
  account: Account,
  name: string,
): Promise<RemoteSetting> {
  return named(await readSettings(services, account), name);
}

function named(settings: readonly RemoteSetting[], name: string): RemoteSetting {
  const setting = settings.find((one) => one.name === name);
  if (!setting) throw new Failure('not_found', { name: 'name', message: `there is no setting ${name}` });
  return setting;
}

/**
 * Changes one setting as the command line does; null restores the default. Throws `not_found` for an unknown setting,
 * and `value_invalid` for a value that is not allowed and for a setting of the operator.
 */
export async function changeSetting(
  services: Pick<Services, 'store' | 'addresses' | 'clock' | 'vault'>,
  account: Account,
  name: string,
  value: string | null,
): Promise<RemoteSetting> {
  const setting = await requireSetting(services, account, name);
  if (!setting.isChangeable) {
    const message = `${name} can be changed on the command line only (gatehouse account set)`;
    throw new Failure('value_invalid', { name, message });
  }
  const { record } = await setAccount(services, account.subdomain, { [name]: value ?? '' }).catch(valueInvalid);
  return named(settingsOf(record), name);
}

/** A value may name what is not there: that is no unknown address. */
function valueInvalid(error: unknown): never {
  if (!(error instanceof Failure && error.code === 'not_found')) throw error;
  throw new Failure('value_invalid', error.detail);
}
