/** Invite links for the callers of version 3, deprecated. */

import contract from '../../../generated/api-v3.json' with { type: 'json' };
import type { operations } from '../../../generated/api-v3.ts';
import { requireInviteLink } from '../../domain/users/invite-links.ts';
import type { Handlers } from '../../http/operation.ts';
import type { SurfaceDefinition } from '../../http/surface.ts';
import type { Services } from '../../services.ts';
import { failures } from './failures.ts';

function handlersOf(services: Services): Handlers<operations> {
  return {
    /** POST /api/v3/invites/get_invite_link */
    makeInviteLink: async ({ body, origin: { account } }, respond) => {
      const link = await requireInviteLink(services, account, body.email);
      return respond(200, { status: { type: 'success', message: 'Success', error: false, code: 200 }, data: [link] });
    },
  };
}

export const apiV3: SurfaceDefinition<operations> = {
  name: 'api-v3',
  contract,
  handlersOf,
  failures,
  limit: 'invite',
  looksAgain: true,
};
