import contract from '../../../generated/oauth2.json' with { type: 'json' };
import type { PresentedClient } from '../../domain/clients/authenticate-client.ts';
import { pathOf } from '../../http/contract.ts';
import type { Origin } from '../../http/operation.ts';

interface ClientForm {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly client_assertion?: string;
  readonly client_assertion_type?: string;
}

export const tokenPath = pathOf(contract, 'issueToken');

/** How the client shows who it is: the same at every endpoint that asks. */
export function presentedClient(
  { account, source }: Origin,
  headers: Readonly<Record<string, string | undefined>>,
  form: ClientForm,
): PresentedClient {
  const { client_assertion: text, client_assertion_type: type } = form;
  const isAssertion = text !== undefined || type !== undefined;
  return {
    authorization: headers['authorization'],
    clientId: form.client_id,
    clientSecret: form.client_secret,
    ...(isAssertion && { assertion: { type, text, tokenEndpoint: account.baseUrl + tokenPath } }),
    source,
  };
}
