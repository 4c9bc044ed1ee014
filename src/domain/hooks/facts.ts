/** What the flags of a hook add to its context. */

import type { StoredHook } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { type Device, listDevices } from '../second-factor/devices.ts';
import type { SigningIn } from './context.ts';

/** Members of the context, read anew for each hook that asks for them. */
export async function findFacts(
  services: { readonly store: Pick<StoreVerbs, 'secondFactors'> },
  account: Pick<Account, 'id'>,
  { definition }: Pick<StoredHook, 'definition'>,
  { user }: Pick<SigningIn, 'user'>,
): Promise<Readonly<Record<string, unknown>>> {
  const { mfaDeviceInfoEnabled = false } = definition.options ?? {};
  if (!mfaDeviceInfoEnabled) return {};
  const devices = await listDevices(services, account, user.id);
  return { mfa_devices: devices.map(describeFactor) };
}

function describeFactor(device: Device) {
  return {
    device_id: device.id,
    auth_factor_id: device.factorId,
    auth_factor_name: device.authFactorName,
    type_display_name: device.typeDisplayName,
    user_display_name: device.name,
    default: device.isDefault,
    created_at: new Date(device.createdAt).toISOString(),
    last_used_at: device.lastUsedAt === null ? null : new Date(device.lastUsedAt).toISOString(),
  };
}
