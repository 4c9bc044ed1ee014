import type { operations } from '../../../generated/oidc-2.ts';
import { documentedGrantTypes, knownResponseTypes } from '../../domain/clients/known-values.ts';
import type { RegistrationRules } from '../../domain/clients/metadata.ts';
import { registerClient as register } from '../../domain/clients/register.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { representClient } from './represent.ts';

type Operation = operations['registerClient'];

/** The document's §2.1: a name and redirect URIs are always required, and defaults are the full lists. */
const rules: RegistrationRules = {
  nameRequired: true,
  redirectUrisRequired: true,
  defaultGrantTypes: documentedGrantTypes,
  defaultResponseTypes: knownResponseTypes,
};

/** POST /oidc/2/register (the document's §4.1): 200 with the client's metadata. */
export function registerClient(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'limits' | 'vault' | 'egress'>,
): Handler<Operation> {
  return async ({ body, caller, origin }, respond) => {
    const registrant = { caller, source: origin.source, openAllowed: false, roles: body.registration_roles };
    const registration = await register(services, origin.account, registrant, body, rules);
    return respond(200, representClient(registration));
  };
}
