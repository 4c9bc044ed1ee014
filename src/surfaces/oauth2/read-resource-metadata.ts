import type { operations } from '../../../generated/oauth2.ts';
import { readPublicServer } from '../../domain/authorization-servers/resource-metadata.ts';
import { profiledAlgorithms } from '../../domain/clients/security-profile.ts';
import { proofAlgorithms } from '../../domain/dpop/check-proof.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

/** GET /oauth2/resource_metadata/{id} (RFC 9728 §3.2): for an API server that names or answers it. */
export function readResourceMetadata(services: Pick<Services, 'store'>): Handler<operations['readResourceMetadata']> {
  return async ({ path, origin: { account } }, respond) => {
    const { name, resourceIdentifier, scopes } = await readPublicServer(services, account, path.id);
    const { securityProfile, mutualTls } = account.settings;
    const isFapi = securityProfile === 'fapi2';
    const metadata = {
      resource: resourceIdentifier,
      authorization_servers: [account.baseUrl],
      // RFC 9728 §3.2: members with zero elements are left out.
      ...(scopes.length > 0 && { scopes_supported: [...scopes] }),
      bearer_methods_supported: ['header' as const],
      resource_name: name,
      dpop_signing_alg_values_supported: profiledAlgorithms(proofAlgorithms, isFapi),
      // With certificates a token may be bound to one of them instead.
      dpop_bound_access_tokens_required: isFapi && mutualTls === 'off',
    };
    return respond(200, metadata, { 'cache-control': 'public, max-age=300' });
  };
}
