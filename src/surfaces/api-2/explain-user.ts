import type { components, operations } from '../../../generated/api-2.ts';
import { explainSignIn } from '../../domain/explain/explain.ts';
import type { ExplainServices } from '../../domain/explain/steps.ts';
import { Failure } from '../../domain/failure.ts';
import { requireUserId } from '../../domain/users/users.ts';
import type { Handler } from '../../http/operation.ts';
import { addressIn } from '../../http/peer-address.ts';
import { callFor } from './explain-remedies.ts';

/** POST /api/2/users/{id}/explain */
export function explainUser(services: ExplainServices): Handler<operations['explainUser']> {
  return async ({ path, body, origin: { account } }, respond) => {
    const user = await requireUserId(services.store, account, Number(path.id));
    const { outcome, cause, steps } = await explainSignIn(services, account, user.id, {
      method: body.method,
      clientId: body.client_id ?? null,
      address: readAddress(body.ip_address),
      userAgent: body.user_agent ?? null,
      redirectUri: body.redirect_uri ?? null,
      scope: body.scope ?? null,
    });
    const shown: components['schemas']['ExplainStep'][] = [];
    for (const { remedy, ...step } of steps) {
      shown.push({
        step: step.step,
        outcome: step.outcome,
        cause: step.cause,
        message: step.message.slice(0, longestMessage),
        remedy: remedy && (await callFor(services, account, user, remedy)),
      });
    }
    return respond(200, { outcome, cause, steps: shown });
  };
}

/** As a proxy would forward it. Throws `value_invalid`. */
function readAddress(text: string | undefined): string | null {
  const address = text === undefined ? null : addressIn(text);
  if (address !== null || text === undefined) return address;
  throw new Failure('value_invalid', { name: 'ip_address', message: 'ip_address must be an IPv4 or IPv6 address' });
}

/** Redirect URIs and names are chosen by others. */
const longestMessage = 8192;
