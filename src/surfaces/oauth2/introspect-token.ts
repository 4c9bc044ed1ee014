import type { components, operations } from '../../../generated/oauth2.ts';
import { authenticateClient } from '../../domain/clients/authenticate-client.ts';
import { Failure } from '../../domain/failure.ts';
import { confirmationOf } from '../../domain/tokens/binding.ts';
import { type ActiveToken, introspectToken as introspect, signIntrospection } from '../../domain/tokens/introspect.ts';
import { tokenTypeOf } from '../../domain/tokens/token-set.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { presentedClient } from './presented-client.ts';

/** POST /oauth2/introspect (RFC 7662 §2). */
export function introspectToken(
  services: Pick<
    Services,
    'store' | 'clock' | 'vault' | 'signer' | 'limits' | 'counts' | 'clientKeys' | 'clientDocuments'
  >,
): Handler<operations['introspectToken']> {
  return async ({ body, headers, origin }, respond) => {
    const client = await authenticateClient(services, origin.account, presentedClient(origin, headers, body));
    if (!body.token) throw new Failure('parameter_missing', { name: 'token', message: 'token is missing' });
    const token = await introspect(services, origin.account, client, body.token);
    const answer = token ? represent(token, origin.account.baseUrl) : ({ active: false } as const);
    // RFC 9701 §4.
    const isSigned = namesSigned(headers['accept']);
    return respond(200, isSigned ? await signIntrospection(services, origin.account, client, answer) : answer);
  };
}

/**
 * Whether `Accept` names the signed answer and not JSON: generated clients name all types that they know, and read JSON.
 */
function namesSigned(accept = ''): boolean {
  const types = accept.split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase());
  return types.includes('application/token-introspection+jwt') && !types.includes('application/json');
}

function represent(token: ActiveToken, issuer: string): components['schemas']['Introspection'] {
  return {
    active: true,
    ...(token.scope.length > 0 && { scope: token.scope.join(' ') }),
    client_id: token.clientId,
    ...(token.username !== null && { username: token.username }),
    ...(token.tokenType === 'access_token' && { token_type: tokenTypeOf(token.binding) }),
    ...(token.binding !== null && { cnf: confirmationOf(token.binding) }),
    ...(token.actor !== null && { act: token.actor }),
    exp: token.expiresAt,
    iat: token.issuedAt,
    sub: token.subject,
    aud: typeof token.audience === 'string' ? token.audience : [...token.audience],
    iss: issuer,
  };
}
