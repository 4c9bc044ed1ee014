import type { operations } from '../../../generated/oauth2.ts';
import { registerClient as register } from '../../domain/clients/register.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { representClient, rules } from './represent-client.ts';

/** POST /oauth2/register (RFC 7591 §3): 201 with the client's metadata. */
export function registerClient(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'limits' | 'vault' | 'egress'>,
): Handler<operations['registerClient']> {
  return async ({ body, caller, origin: { account, source } }, respond) => {
    const registrant = { caller, source, openAllowed: true };
    return respond(201, representClient(account, await register(services, account, registrant, body, rules)));
  };
}
