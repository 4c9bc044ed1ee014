import type { operations } from '../../../generated/pages.ts';
import type { Handlers } from '../../http/operation.ts';
import { assets } from '../../pages/assets.ts';
import { passwordLink } from '../../pages/links.ts';

const cacheControl = 'public, max-age=86400';
const rulesForRobots = 'User-agent: *\nDisallow: /\n';

/** What browsers, password managers and robots ask for without a link to it. */
export function browserFiles(): Pick<Handlers<operations>, 'findPasswordPage' | 'readFavicon' | 'readRobots'> {
  return {
    findPasswordPage: async (_request, respond) => respond(303, undefined, { location: passwordLink }),
    readFavicon: async (_request, respond) =>
      respond(200, assets.get('icon.svg')?.body.toString('utf8') ?? '', {
        'content-type': 'image/svg+xml',
        'cache-control': cacheControl,
      }),
    readRobots: async (_request, respond) => respond(200, rulesForRobots, { 'cache-control': cacheControl }),
  };
}
