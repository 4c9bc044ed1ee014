/** The one operation of version 1 that has no newer version: invite links. */

import contract from '../../../generated/api-1.json' with { type: 'json' };
import type { operations } from '../../../generated/api-1.ts';
import { requireInviteLink } from '../../domain/users/invite-links.ts';
import type { Handlers } from '../../http/operation.ts';
import type { SurfaceDefinition } from '../../http/surface.ts';
import type { Services } from '../../services.ts';
import { failures } from './failures.ts';

function handlersOf(services: Services): Handlers<operations> {
  return {
    /** POST /api/1/invites/get_invite_link */
    createInviteLink: async ({ body, origin: { account } }, respond) => {
      const link = await requireInviteLink(services, account, body.email);
      return respond(200, { status: { type: 'success', message: 'Success', error: false, code: 200 }, data: [link] });
    },
  };
}

export const api1: SurfaceDefinition<operations> = {
  name: 'api-1',
  contract,
  handlersOf,
  failures,
  limit: 'invite',
  looksAgain: true,
};
