/** The one operation of version 1 that has no newer version: invite links. */

import contract from '../../../generated/api-1.json' with { type: 'json' };
import type { operations } from '../../../generated/api-1.ts';
import { requireInviteLink } from '../../domain/users/invite-links.ts';
import type { Handlers } from '../../http/operation.ts';
import type { SurfaceDefinition } from '../../http/surface.ts';
import type { Services } from '../../services.ts';
import { failures } from './failures.ts';

export function api1(services: Services): SurfaceDefinition<operations> {
  const handlers: Handlers<operations> = {
    /** POST /api/1/invites/get_invite_link */
    createInviteLink: async ({ body, origin: { account } }, respond) => {
      const link = await requireInviteLink(services, account, body.email);
      return respond(200, { status: { type: 'success', message: 'Success', error: false, code: 200 }, data: [link] });
    },
  };
  return { name: 'api-1', contract, handlers, failures, limit: 'invite' };
}
