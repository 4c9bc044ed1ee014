import type { operations } from '../../../generated/api-v1.ts';
import type { RunServices } from '../../domain/hooks/one-run.ts';
import { authenticateDelegated as authenticate } from '../../domain/login/delegated.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { authenticated, refused } from './represent.ts';

const messages = { unknown_user: 'User not found', refused: 'Invalid password' } as const;

/** GET /api/v1/delegated_auth: 200 whatever the answer. */
export function authenticateDelegated(
  services: RunServices & Pick<Services, 'random' | 'passwords'>,
): Handler<operations['authenticateDelegated']> {
  return async ({ query, origin: { account } }, respond) => {
    const result = await authenticate(services, account, { email: query?.email, password: query?.password });
    if (result.outcome !== 'authenticated') return respond(200, refused(messages[result.outcome]));
    return respond(200, authenticated(result.user.firstname, result.user.lastname));
  };
}
