/** The operations of the contracts that make a change which an explanation proposes. */

import type { components } from '../../../generated/api-2.ts';
import type { Account } from '../../domain/accounts/account.ts';
import type { Remedy } from '../../domain/explain/steps.ts';
import { readNamedHook } from '../../domain/hooks/read-hooks.ts';
import type { Services } from '../../services.ts';
import { representHook } from './represent-hook.ts';

type Call = components['schemas']['ExplainRemedy'];

/** What has to be chosen. */
const newPassword = 'a new password';

export async function callFor(
  services: Pick<Services, 'store' | 'packageBuilds'>,
  account: Account,
  { id, email }: { readonly id: number; readonly email: string | null },
  remedy: Remedy,
): Promise<Call> {
  const user = `/api/2/users/${id}`;
  switch (remedy.by) {
    case 'unlock_user':
      return { method: 'POST', path: `${user}/unlock`, body: {} };
    case 'activate_user':
      return { method: 'PUT', path: user, body: { status: 1 } };
    case 'invite_user':
      return email === null
        ? { method: 'PUT', path: user, body: { password: newPassword, password_confirmation: newPassword } }
        : { method: 'POST', path: '/api/1/invites/send_invite_link', body: { email } };
    case 'register_factor':
      return {
        method: 'POST',
        path: `/api/2/mfa/users/${id}/registrations`,
        body: { factor_id: 1, display_name: 'Phone' },
      };
    case 'assign_app':
      return { method: 'POST', path: `/api/2/apps/${remedy.appId}/users`, body: [id] };
    case 'set_redirect_uri':
      return {
        method: 'PUT',
        path: `/api/2/apps/${remedy.appId}`,
        body: { configuration: { redirect_uri: remedy.uris.join('\n') } },
      };
    case 'create_app':
      return { method: 'POST', path: '/api/2/apps', body: { name: 'The app' } };
    case 'release_policy':
      return releaseOf(user, remedy);
    case 'change_policy': {
      const rule = remedy.rule === 'otp_required' ? { otp_required: false } : { password_expiration_days: null };
      return { method: 'PUT', path: `/api/2/policies/${remedy.policyId}`, body: rule };
    }
    case 'disable_hook':
      return disable(services, account, remedy.uuid);
  }
}

function releaseOf(user: string, remedy: Extract<Remedy, { readonly by: 'release_policy' }>): Call {
  const path = remedy.of === 'user' ? user : `/api/2/apps/${remedy.id}`;
  return { method: 'PUT', path, body: { policy_id: null } };
}

/** The whole hook, since a version that leaves a member out has its default. */
async function disable(
  services: Pick<Services, 'store' | 'packageBuilds'>,
  account: Account,
  uuid: string,
): Promise<Call> {
  const hook = representHook(await readNamedHook(services, account, uuid));
  const { id, status: _status, created_at: _created, updated_at: _updated, ...members } = hook;
  return { method: 'PUT', path: `/api/2/hooks/${id}`, body: { ...members, disabled: true } };
}
