import type { operations } from '../../../generated/oauth2.ts';
import { authenticateClient } from '../../domain/clients/authenticate-client.ts';
import { beginDevice as begin } from '../../domain/device/begin-device.ts';
import { networkSourceOf } from '../../domain/network-source.ts';
import type { Handler } from '../../http/operation.ts';
import { formAction } from '../../pages/links.ts';
import type { Services } from '../../services.ts';
import { presentedClient } from './presented-client.ts';

/** POST /oauth2/device_authorization (RFC 8628 §3.1): the codes of a device that waits for its user. */
export function beginDeviceAuthorization(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'limits' | 'clientKeys' | 'clientDocuments'>,
): Handler<operations['beginDeviceAuthorization']> {
  return async ({ body, headers, origin }, respond) => {
    const { account } = origin;
    const client = await authenticateClient(services, account, {
      ...presentedClient(origin, headers, body ?? {}),
      begins: true,
    });
    const asked = { scope: body?.scope || undefined, resource: body?.resource || null };
    await services.limits.take(account, 'authorize', { source: networkSourceOf(origin.source) });
    const begun = await begin(services, account, client, asked);
    const uri = account.baseUrl + formAction('showDevice');
    return respond(200, {
      device_code: begun.deviceCode,
      user_code: begun.userCode,
      verification_uri: uri,
      verification_uri_complete: `${uri}?${new URLSearchParams({ user_code: begun.userCode })}`,
      expires_in: begun.expiresInSeconds,
      interval: begun.intervalSeconds,
    });
  };
}
