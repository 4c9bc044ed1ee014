import type { components, operations } from '../../../generated/oauth2.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

/** GET /oauth2/jwks (RFC 7517 §5): the public keys; a new one stands here a day before it signs. */
export function readKeys({ signer }: Pick<Services, 'signer'>): Handler<operations['readKeys']> {
  return async ({ origin }, respond) => {
    const keys = (await signer.published(origin.account)) as components['schemas']['KeySet']['keys'];
    return respond(200, { keys }, { 'cache-control': 'public, max-age=300' });
  };
}
