/** A redirect URI that is not registered, and whether it could be. */

import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { readAppChanges } from '../clients/app-input.ts';
import { followsFapi, profiledRedirectFault } from '../clients/security-profile.ts';
import { Failure } from '../failure.ts';
import { namedApp, refuses, type Step } from './steps.ts';

/** A call that would be refused is no remedy: the message then says what is wrong with the URI. */
export function redirectStep(
  account: Account,
  client: ClientRecord,
  { detail, message }: Failure,
  uri: string | undefined,
): Step {
  if (detail.reason !== 'redirect_uri_differs' || uri === undefined) {
    const cause = detail.reason === 'redirect_uri_missing' ? 'redirect_uri_missing' : 'request_invalid';
    return refuses('request', cause, message);
  }
  const registered = `Registered: ${client.redirectUris.join(', ') || 'none'}.`;
  const differs = `The redirect URI ${uri} is not registered for ${namedApp(client)}, character for character`;
  const uris = [...client.redirectUris, uri];
  const fault = registrationFault(account, client, uris, uri);
  if (fault !== null) {
    return refuses('request', 'redirect_uri_differs', `${differs}, and cannot be: ${fault}. ${registered}`);
  }
  const remedy = { by: 'set_redirect_uri', appId: client.appId, uris } as const;
  return refuses('request', 'redirect_uri_differs', `${differs}. ${registered}`, remedy);
}

/** Why `uri` cannot be registered as one of `uris`, by the rules of a change to the app; null where it can. */
function registrationFault(
  account: Account,
  client: ClientRecord,
  uris: readonly string[],
  uri: string,
): string | null {
  const profiled = followsFapi(account, client) ? profiledRedirectFault(uri, client) : null;
  if (profiled !== null) return `it ${profiled}`;
  try {
    const { redirectUris } = readAppChanges({ redirectUri: uris.join('\n') }, client);
    // One per line: spaces around it and line breaks in it would be lost.
    return redirectUris?.includes(uri) ? null : 'it has spaces or line breaks that a registered one cannot have';
  } catch (error) {
    if (error instanceof Failure && error.code === 'value_invalid') return error.message;
    throw error;
  }
}
