/** Whether a client may ask, and how it asks. */

import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { findClockFault } from '../clients/clock-faults.ts';
import { findBeginning } from '../clients/document-client.ts';
import { hasGrantType } from '../clients/grant-types.ts';
import { deviceGrant, type GrantType } from '../clients/known-values.ts';
import { followsFapi } from '../clients/security-profile.ts';
import { Failure } from '../failure.ts';
import { checkRequest } from '../login/check-request.ts';
import { noParameters } from '../login/open-request.ts';
import { isOwnPages, ownPages } from '../login/own-pages.ts';
import { splitScope } from '../tokens/scopes.ts';
import { findEvents } from '../why/story.ts';
import { redirectStep } from './redirect-step.ts';
import {
  type ExplainServices,
  type Known,
  namedApp,
  passes,
  type Question,
  refuses,
  type Step,
  unknown,
} from './steps.ts';

interface FoundClient {
  readonly step: Step;
  /** Null: the rest of the sign-in cannot be told. */
  readonly client: ClientRecord | null;
}

export async function findClientStep(
  services: ExplainServices,
  account: Account,
  { clientId, method }: Question,
): Promise<FoundClient> {
  // Another program's form is for no app.
  if (clientId === null || method === 'delegated') {
    return { client: ownPages(account), step: passes('client', 'account_pages', 'The sign-in is for no app.') };
  }
  try {
    const client = await findBeginning(services, account, clientId);
    if (client) return { client, step: grantTypeStep(account, client, method) };
    return { client: null, step: await missingStep(services, account, clientId) };
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'internal') throw error;
    if (error.code === 'client_document_unusable') {
      return { client: null, step: refuses('client', 'client_document_unusable', `${error.message}.`) };
    }
    const message = 'The metadata document of the client cannot be fetched now.';
    return { client: null, step: unknown('client', 'client_document_unavailable', message) };
  }
}

const grantTypes: Partial<Record<Question['method'], GrantType>> = {
  device: deviceGrant,
  password_grant: 'password',
  refresh: 'refresh_token',
};

function grantTypeStep(account: Account, client: ClientRecord, method: Question['method']): Step {
  const grantType = grantTypes[method];
  const isSwitchedOff =
    method === 'password_grant' && (!account.settings.passwordGrant || followsFapi(account, client));
  if (grantType === undefined || (hasGrantType(client, grantType) && !isSwitchedOff)) {
    return passes('client', 'client_found', `${namedApp(client)} is registered.`);
  }
  const why = isSwitchedOff
    ? `The grant type ${grantType} is turned off in the account, or for clients of FAPI 2.0.`
    : `${namedApp(client)} may not use the grant type ${grantType}: it did not register it, or a client that anybody could register does not get it.`;
  return refuses('client', 'grant_type_not_allowed', why);
}

interface Expired {
  readonly client_id?: string;
  readonly days: number;
}

/** One that was removed because nobody used it is told from one that never was, by the trail. */
async function missingStep(services: ExplainServices, account: Account, clientId: string): Promise<Step> {
  const expired = await findEvents(services, account, [{ field: 'action', test: 'is', values: ['app.expired'] }]);
  const found = expired.find(({ detail }) => (detail as Expired).client_id === clientId);
  if (!found) {
    // Nobody chooses a client_id, so that a new app would not have this one.
    const message = `No app of this account has the client_id ${clientId}. Compare it with the one that the app shows.`;
    return refuses('client', 'client_unknown', message);
  }
  const { days } = found.detail as Expired;
  const message =
    `The client registered itself and expired on ${new Date(found.at).toISOString()}, when nobody had used it for ` +
    `${days} days. It has to register again.`;
  return refuses('client', 'client_expired', message, { by: 'create_app' });
}

interface CheckedRequest {
  readonly step: Step;
  /** Null: there is none, or it is not valid. */
  readonly parameters: AuthorizationParameters | null;
}

/** A challenge of the right form: the client's own is not known, and every client can send one. */
const someChallenge = 'x'.repeat(43);

/** The authorization request that the client would send, checked as a real one. */
export async function checkRequestStep(
  services: ExplainServices,
  { account, client, question: { redirectUri, scope, method } }: Known,
): Promise<CheckedRequest> {
  if (isOwnPages(client) || method === 'device') {
    const parameters = { ...noParameters, redirectUri: '/', redirectUriGiven: true };
    const scopes = splitScope(scope ?? 'openid');
    return {
      parameters: { ...parameters, scope: isOwnPages(client) ? [] : scopes },
      step: passes('request', 'request_valid', 'There is no redirect URI to check.'),
    };
  }
  const uri = redirectUri ?? client.redirectUris[0];
  const implicit = !hasGrantType(client, 'authorization_code');
  const query = {
    client_id: client.clientId,
    response_type: implicit ? (client.responseTypes[0] ?? 'code') : 'code',
    scope: scope ?? 'openid',
    nonce: 'nonce',
    state: 'state',
    code_challenge: someChallenge,
    code_challenge_method: 'S256',
    ...(uri !== undefined && { redirect_uri: uri }),
  };
  try {
    const { read } = await checkRequest(services, account, client, query);
    if ('error' in read) {
      const message = `The authorization request is refused with ${read.error}: ${read.description}.`;
      return { parameters: null, step: refuses('request', 'request_invalid', message) };
    }
    const message = `The redirect URI is registered, and ${query.scope} may be asked for.`;
    return { parameters: read, step: passes('request', 'request_valid', message) };
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'authorization_request_invalid')) throw error;
    return { parameters: null, step: redirectStep(account, client, error, uri) };
  }
}

/** What can be known of a client's clock: whether its last assertion or proof was refused for its times. */
export function clockStep(services: ExplainServices, { account, client }: Known): Step | null {
  if (isOwnPages(client)) return null;
  const fault = findClockFault(services, account, client);
  if (!fault) {
    const message =
      'No assertion or DPoP proof of the client was refused for its times in the last day, as far as this process of ' +
      'the service has seen. Its clock cannot be asked.';
    return { step: 'clock', outcome: 'skipped', cause: 'clock_not_seen', message, remedy: null };
  }
  const { what, aheadSeconds, at } = fault;
  const seconds = Math.abs(Math.round(aheadSeconds));
  const off = aheadSeconds > 0 ? `${seconds} s ahead of` : `${seconds} s behind`;
  const sent = what === 'proof' ? 'DPoP proof' : 'client assertion';
  const message =
    `The last ${sent} in the name of the client was refused on ${new Date(at).toISOString()}: its time was ${off} ` +
    "the service's clock. Set the client's clock by NTP; the service takes 60 s ahead and 300 s behind for proofs, and " +
    '30 s for assertions.';
  return refuses('clock', 'clock_differs', message);
}
