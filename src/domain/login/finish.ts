import type { Services } from '../../services.ts';
import type { SessionRecord, UserRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { finishDevice } from '../device/finish-device.ts';
import { Failure } from '../failure.ts';
import { digestOf, newSecret } from '../secrets.ts';
import { isUnanswered, type OpenRequest } from './authorization-request.ts';
import { giveTokens } from './give-tokens.ts';
import { isOwnPages } from './own-pages.ts';
import { type AnswerMembers, type AuthorizationError, answerError, answerWith, type ClientAnswer } from './redirect.ts';

const codeMilliseconds = 60_000;

export type FinishServices = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'signer' | 'counts'>;

/** Who grants a request, and the sign-in by which. */
export interface Granted {
  readonly session: SessionRecord;
  readonly user: UserRecord;
}

/** Stores what the client is given, and answers how it is told once that is committed. */
export type Giving = (tx: StoreVerbs) => Promise<() => Promise<AnswerMembers>>;

/** Ends the request, for exactly one caller, with what the session's user grants, with an error, or at the device that waits. */
export async function finishRequest(
  services: FinishServices,
  account: Account,
  request: OpenRequest,
  result: Granted | AuthorizationError,
): Promise<{ readonly answer: ClientAnswer }> {
  const { record, client } = request;
  const { parameters } = record;
  const { device } = parameters;
  if (device) {
    const decided = 'error' in result ? 'denied' : result.session;
    return { answer: { by: 'redirect', ...(await finishDevice(services, account, request, device, decided)) } };
  }
  // The same question gets the same answer; and nothing is stored for a browser that has not shown who its user is.
  if ('error' in result && isUnanswered(record)) return { answer: answerError(account, parameters, result) };
  const give = 'error' in result || isOwnPages(client) ? null : await givingOf(services, account, request, result);
  const given = await services.store.transaction(async (tx) => {
    if (!(await tx.authorizations.finishRequest(record))) return 'ended';
    return give === null ? null : give(tx);
  });
  if (given === 'ended') throw new Failure('authorization_request_invalid', { message: 'This sign-in has ended.' });
  if ('error' in result) return { answer: answerError(account, parameters, result) };
  if (given === null) return { answer: { by: 'redirect', location: parameters.redirectUri } };
  return { answer: answerWith(account, parameters, await given()) };
}

async function givingOf(
  services: FinishServices,
  account: Account,
  request: OpenRequest,
  granted: Granted,
): Promise<Giving> {
  const { responseType } = request.record.parameters;
  return responseType === undefined
    ? giveCode(services, account, request, granted)
    : giveTokens(services, account, request, granted, responseType);
}

function giveCode(
  { clock, random }: Pick<Services, 'clock' | 'random'>,
  account: Account,
  { record, client }: OpenRequest,
  { session }: Granted,
): Giving {
  const code = newSecret(random, '');
  return async (tx) => {
    await tx.authorizations.createCode({
      accountId: account.id,
      digest: digestOf(code),
      appId: client.appId,
      userId: session.userId,
      sid: session.sid,
      amr: session.amr,
      authenticatedAt: session.authenticatedAt,
      parameters: record.parameters,
      expiresAt: clock.now() + codeMilliseconds,
      usedAt: null,
      grantId: null,
    });
    return async () => ({ code });
  };
}
