/** What the options of a hook add to its context. */

import type { Services } from '../../services.ts';
import type { StoredHook } from '../../store/hooks.ts';
import type { Account } from '../accounts/account.ts';
import { type FactorDevice, listDevices } from '../second-factor/devices.ts';
import type { SigningIn } from './context.ts';
import { locate } from './location.ts';
import { assessRisk, type SignInTraits } from './risk.ts';
import { describeSignIn } from './sign-in-history.ts';

/**
 * Members of the context, read for each hook that asks for them, and the traits that the risk was computed from, to be
 * stored later.
 */
export async function findFacts(
  services: Pick<Services, 'store' | 'vault' | 'geoip' | 'clock'>,
  account: Account,
  { definition }: Pick<StoredHook, 'definition'>,
  { user, source, browser }: Pick<SigningIn, 'user' | 'source' | 'browser'>,
): Promise<{ readonly members: Readonly<Record<string, unknown>>; readonly traits: SignInTraits | null }> {
  const { mfaDeviceInfoEnabled, locationEnabled, riskEnabled } = definition.options ?? {};
  const members: Record<string, unknown> = {};
  const address = source ?? '';
  if (mfaDeviceInfoEnabled)
    members['mfa_devices'] = (await listDevices(services, account, user.id)).map(describeFactor);
  if (locationEnabled) members['location'] = await locate(services, address);
  if (!riskEnabled) return { members, traits: null };
  const traits = await describeSignIn(services, account, { address, userAgent: browser.userAgent ?? '' });
  const known = await services.store.signInHistories.find(account.id, user.id);
  members['risk'] = assessRisk(known?.history ?? null, traits, user.invalidLoginAttempts);
  return { members, traits };
}

function describeFactor(device: FactorDevice) {
  return {
    device_id: String(device.id),
    auth_factor_id: device.factorId,
    auth_factor_name: device.authFactorName,
    type_display_name: device.typeDisplayName,
    user_display_name: device.name,
    default: device.isDefault,
    created_at: new Date(device.createdAt).toISOString(),
    last_used_at: device.lastUsedAt === null ? null : new Date(device.lastUsedAt).toISOString(),
  };
}
