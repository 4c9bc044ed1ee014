import type { components, operations } from '../../../generated/oauth2.ts';
import { bearerToken } from '../../domain/callers/bearer.ts';
import { Failure } from '../../domain/failure.ts';
import { readUserinfo as read } from '../../domain/tokens/userinfo.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

type Claims = components['schemas']['Claims'];

/** GET /oauth2/userinfo (OpenID Connect Core §5.3), with the access token in the Authorization header. */
export function readUserinfo(
  services: Pick<Services, 'store' | 'clock' | 'signer' | 'vault'>,
): Handler<operations['readUserinfo']> {
  return async ({ headers, origin }, respond) => {
    const claims = await read(services, origin.account, bearerToken(headers['authorization']));
    return respond(200, claims as Claims | string);
  };
}

/** POST /oauth2/userinfo: the access token in the header or in the form, never in both (RFC 6750 §2). */
export function readUserinfoByForm(
  services: Pick<Services, 'store' | 'clock' | 'signer' | 'vault'>,
): Handler<operations['readUserinfoByForm']> {
  return async ({ body, headers, origin }, respond) => {
    const header = bearerToken(headers['authorization']);
    const member = body?.access_token ?? null;
    if (header !== null && member !== null) {
      throw new Failure('parameter_repeated', { name: 'access_token', message: 'access_token is given twice' });
    }
    return respond(200, (await read(services, origin.account, header ?? member)) as Claims | string);
  };
}
