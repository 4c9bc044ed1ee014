import contract from '../../../generated/oauth2.json' with { type: 'json' };
import type { components, operations } from '../../../generated/oauth2.ts';
import { addressesOf } from '../../domain/accounts/addresses.ts';
import { bearerToken, dpopToken } from '../../domain/callers/bearer.ts';
import { nextNonce } from '../../domain/dpop/check-proof.ts';
import { Failure } from '../../domain/failure.ts';
import { type PresentedToken, readUserinfo as read } from '../../domain/tokens/userinfo.ts';
import { pathOf } from '../../http/contract.ts';
import type { Handler, Origin } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

type Claims = components['schemas']['Claims'];
type Needs = Pick<Services, 'store' | 'clock' | 'signer' | 'vault'>;

const path = pathOf(contract, 'readUserinfo');

/** GET /oauth2/userinfo (OpenID Connect Core §5.3), with the access token in the Authorization header. */
export function readUserinfo(services: Needs): Handler<operations['readUserinfo']> {
  return async ({ headers, origin }, respond) => {
    const presented = presentedToken(origin, headers);
    const claims = await read(services, origin.account, presented);
    return respond(200, claims as Claims | string, nonceFor(services, origin, presented));
  };
}

/** POST /oauth2/userinfo: the access token in the header or in the form, never in both (RFC 6750 §2). */
export function readUserinfoByForm(services: Needs): Handler<operations['readUserinfoByForm']> {
  return async ({ body, headers, origin }, respond) => {
    const header = presentedToken(origin, headers);
    const member = body?.access_token ?? null;
    if (header.accessToken !== null && member !== null) {
      throw new Failure('parameter_repeated', { name: 'access_token', message: 'access_token is given twice' });
    }
    const presented = member === null ? header : { ...header, accessToken: member };
    const claims = await read(services, origin.account, presented);
    return respond(200, claims as Claims | string, nonceFor(services, origin, presented));
  };
}

function presentedToken(
  { account, certificate, method }: Origin,
  headers: Readonly<Record<string, string | undefined>>,
): PresentedToken {
  const bound = dpopToken(headers['authorization']);
  return {
    accessToken: bound ?? bearerToken(headers['authorization']),
    scheme: bound === null ? 'Bearer' : 'DPoP',
    proof: headers['dpop'],
    certificate,
    method,
    urls: addressesOf(account, path),
  };
}

function nonceFor(services: Needs, { account }: Origin, { scheme }: PresentedToken) {
  return scheme === 'DPoP' ? nextNonce(services, account) : {};
}
