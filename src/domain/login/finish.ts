import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { finishDevice } from '../device/finish-device.ts';
import { Failure } from '../failure.ts';
import { digestOf, newSecret } from '../secrets.ts';
import type { OpenRequest } from './authorization-request.ts';
import { isOwnPages } from './own-pages.ts';
import { type AuthorizationError, answerCode, answerError, type ClientAnswer } from './redirect.ts';

const codeMilliseconds = 60_000;

/** Ends the request, for exactly one caller, with a code for the session's user, with an error, or at the device that waits. */
export async function finishRequest(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault'>,
  account: Account,
  { record, client }: OpenRequest,
  result: SessionRecord | AuthorizationError,
): Promise<{ readonly answer: ClientAnswer }> {
  const { device } = record.parameters;
  if (device) {
    const decided = 'error' in result ? 'denied' : result;
    return {
      answer: { by: 'redirect', ...(await finishDevice(services, account, { record, client }, device, decided)) },
    };
  }
  const code = newSecret(services.random, '');
  const finished = await services.store.transaction(async (tx) => {
    if (!(await tx.authorizations.finishRequest(account.id, record.digest))) return false;
    if ('error' in result || isOwnPages(client)) return true;
    await tx.authorizations.createCode({
      accountId: account.id,
      digest: digestOf(code),
      appId: client.appId,
      userId: result.userId,
      sid: result.sid,
      amr: result.amr,
      authenticatedAt: result.authenticatedAt,
      parameters: record.parameters,
      expiresAt: services.clock.now() + codeMilliseconds,
      usedAt: null,
      grantId: null,
    });
    return true;
  });
  if (!finished) throw new Failure('authorization_request_invalid', { message: 'This sign-in has ended.' });
  const { parameters } = record;
  if (isOwnPages(client)) return { answer: { by: 'redirect', location: parameters.redirectUri } };
  const answer = 'error' in result ? answerError(account, parameters, result) : answerCode(account, parameters, code);
  return { answer };
}
