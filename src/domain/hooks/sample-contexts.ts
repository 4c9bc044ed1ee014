/** Contexts to try functions with: one for each type of hook and version of the context, with every option on. */

import { randomUUID } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { HookType } from '../../store/hooks.ts';
import type { Account } from '../accounts/account.ts';
import { contextVersions } from './context-versions.ts';
import { hookTypes } from './values.ts';

interface SampleContext {
  readonly type: HookType;
  readonly contextVersion: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** All but the policy is made up; identifiers are new each time. */
export async function sampleContexts(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
): Promise<readonly SampleContext[]> {
  const policyId = (await store.policies.list(account.id)).find(({ isDefault }) => isDefault)?.id ?? 1;
  const now = new Date(clock.now()).toISOString();
  return hookTypes.flatMap((type) =>
    contextVersions.map((contextVersion) => {
      const ids = { correlation_id: randomUUID(), request_id: randomUUID() };
      const members = type === 'user-migration' ? ofMigration : ofSignIn(contextVersion === '1.1.0', policyId, now);
      return { type, contextVersion, context: { context_version: contextVersion, ...members, ...ids } };
    }),
  );
}

const ofMigration = { user_identifier: 'ada@example.com', password: 'correct horse battery' };

function ofSignIn(isNewer: boolean, policyId: number, now: string) {
  const named = { user_identifier: 'ada@example.com', policy_id: policyId };
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const factor = {
    ...{
      device_id: '17',
      auth_factor_id: 1,
      auth_factor_name: 'Authenticator',
      type_display_name: 'Authenticator app',
    },
    ...{ user_display_name: 'Phone', default: true, created_at: now, last_used_at: null },
  };
  return {
    user: isNewer ? { ...named, id: 42, last_login_success: now } : named,
    device: { user_agent: userAgent, is_mobile: false },
    ...(isNewer && { app: { id: 1042, uuid: 'cl_Vq3mT8nY5kW1xR7zB4dF9g', name: 'Payroll' }, failed_login_attempts: 0 }),
    location: { ip: '203.0.113.7', country_code: 'NL' },
    risk: { score: 30, reasons: ['new_device', 'new_network'] },
    mfa_devices: [factor],
  };
}
