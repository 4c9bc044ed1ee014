import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { finishDevice } from '../device/finish-device.ts';
import type { Admitted } from '../opening/admit.ts';
import { openCode } from '../opening/open.ts';
import { admitSession } from './admit-session.ts';
import { isUnanswered, type OpenRequest, requestEnded } from './authorization-request.ts';
import { giveTokens } from './give-tokens.ts';
import { isOwnPages } from './own-pages.ts';
import { usePushed } from './pushed-request.ts';
import {
  type AnswerMembers,
  type AuthorizationError,
  answerError,
  answerWith,
  type ClientAnswer,
  unseen,
} from './redirect.ts';
import { isNamed } from './sealed-request.ts';

export type FinishServices = Pick<
  Services,
  'store' | 'clock' | 'random' | 'vault' | 'signer' | 'counts' | 'limits' | 'clientDocuments'
>;

/** Who grants a request, and by which sign-in. */
export interface Granted {
  readonly session: SessionRecord;
  readonly user: UserRecord;
}

/** Stores what the client is given, and returns how to deliver it once that is committed. */
export type Giving = (tx: StoreVerbs, admitted: Admitted<SessionRecord>) => Promise<() => Promise<AnswerMembers>>;

/**
 * Ends the request for exactly one caller: with what the user grants, with an error, or at the waiting device. Returns
 * null and does nothing when the session or its user has changed; the caller then looks again. Throws `rate_limited`
 * when the session granted too many. `unasked`: the user whom an error refuses without a question.
 */
export async function finishRequest(
  services: FinishServices,
  account: Account,
  request: OpenRequest,
  result: Granted | AuthorizationError,
  unasked: number | null = null,
): Promise<{ readonly answer: ClientAnswer } | null> {
  const { record, client } = request;
  const { parameters } = record;
  const { device } = parameters;
  // A script in a signed-in browser could get codes without end, so the number is limited.
  if (!('error' in result)) await services.limits.take(account, 'authorize', { session: result.session.sid });
  if (device) {
    const decided = 'error' in result ? { deniedTo: unasked ?? record.decidedBy } : result;
    const finished = await finishDevice(services, account, request, device, decided);
    return finished && { answer: { by: 'redirect', ...finished } };
  }
  const refused = async (error: AuthorizationError): Promise<ClientAnswer> => {
    const answer = await answerError(services, account, client, parameters, error);
    // Who renews a session silently does so at a web page.
    const leavesUnseen = parameters.prompt.includes('none') && !/^https?:/.test(parameters.redirectUri);
    return leavesUnseen || unasked !== null ? unseen(client, answer) : answer;
  };
  // Repeating the request gives the same response, and nothing is stored for a browser without an authenticated user.
  if ('error' in result && isUnanswered(record)) return { answer: await refused(result) };
  const give = 'error' in result || isOwnPages(client) ? null : await givingOf(services, account, request);
  const given = await services.store.transaction(async (tx) => {
    const verdict = 'error' in result ? null : await admitSession(services, tx, account, request, result);
    if (verdict && verdict.at !== 'end') return 'changed';
    if (isNamed(record) && !(await tx.authorizations.finishRequest(record))) return 'ended';
    if (!(await usePushed(tx, record))) return 'ended';
    return give === null || verdict === null ? null : give(tx, verdict);
  });
  if (given === 'changed') return null;
  if (given === 'ended') throw requestEnded();
  if ('error' in result) return { answer: await refused(result) };
  if (given === null) return { answer: { by: 'redirect', location: parameters.redirectUri } };
  return { answer: await answerWith(services, account, client, parameters, await given()) };
}

async function givingOf(services: FinishServices, account: Account, request: OpenRequest): Promise<Giving> {
  const { responseType } = request.record.parameters;
  return responseType === undefined
    ? giveCode(services, account, request)
    : giveTokens(services, account, request, responseType);
}

function giveCode(services: Pick<Services, 'clock' | 'random'>, account: Account, { record }: OpenRequest): Giving {
  return async (tx, admitted) => {
    const code = await openCode(services, tx, account, admitted, record.parameters);
    return async () => ({ code });
  };
}
