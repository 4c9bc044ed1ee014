import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { digestOf, newSecret } from '../secrets.ts';
import type { OpenRequest } from './authorization-request.ts';
import { isOwnPages } from './own-pages.ts';
import { type AuthorizationError, answerCode, answerError, type ClientAnswer } from './redirect.ts';

const codeMilliseconds = 60_000;

/** Ends the request, for exactly one caller, with a code for the session's user or with an error. */
export async function finishRequest(
  services: Pick<Services, 'store' | 'clock' | 'random'>,
  account: Account,
  { record, client }: OpenRequest,
  result: SessionRecord | AuthorizationError,
): Promise<{ readonly answer: ClientAnswer }> {
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
