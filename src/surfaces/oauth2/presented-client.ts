import contract from '../../../generated/oauth2.json' with { type: 'json' };
import type { operations } from '../../../generated/oauth2.ts';
import { addressesOf } from '../../domain/accounts/addresses.ts';
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

/**
 * How the client authenticates, at every endpoint that requires it. An assertion may name the token endpoint or
 * `endpoint` as its audience (RFC 7523 §3, RFC 9126 §2).
 */
export function presentedClient(
  { account, source, certificate }: Origin,
  headers: Readonly<Record<string, string | undefined>>,
  form: ClientForm,
  endpoint: keyof operations = 'issueToken',
): PresentedClient {
  const { client_assertion: text, client_assertion_type: type } = form;
  const isAssertion = text !== undefined || type !== undefined;
  return {
    authorization: headers['authorization'],
    clientId: form.client_id,
    clientSecret: form.client_secret,
    ...(isAssertion && {
      assertion: {
        type,
        text,
        endpoints: [tokenPath, pathOf(contract, endpoint)].flatMap((path) => addressesOf(account, path)),
      },
    }),
    certificate,
    source,
  };
}
