import type { operations } from '../../../generated/api-2.ts';
import { createInviteLink } from '../../domain/users/invite-links.ts';
import { requireUserId } from '../../domain/users/users.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

/** POST /api/2/users/{id}/invite */
export function inviteUser(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault'>,
): Handler<operations['inviteUser']> {
  return async ({ path, origin: { account } }, respond) => {
    const user = await requireUserId(services.store, account, Number(path.id));
    return respond(201, { link: await createInviteLink(services, account, user) });
  };
}
