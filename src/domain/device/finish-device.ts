import type { Services } from '../../services.ts';
import type { AwaitingDevice, SessionRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import type { OpenRequest } from '../login/authorization-request.ts';

/**
 * Ends the sign-in for a device, for exactly one caller: the device is let in as the session's user, or told that the
 * user did not allow it. Answers where the browser goes. Throws `authorization_request_invalid`.
 */
export async function finishDevice(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  { record, client }: OpenRequest,
  { digest }: AwaitingDevice,
  result: SessionRecord | 'denied',
): Promise<{ readonly location: string }> {
  const now = services.clock.now();
  const { scope, redirectUri } = record.parameters;
  const userId = result === 'denied' ? record.decidedBy : result.userId;
  if (userId === null) throw new Failure('internal', { reason: 'nobody decided about the device' });
  const decision =
    result === 'denied'
      ? ({ decision: 'deny', userId, amr: null, authenticatedAt: null } as const)
      : ({ decision: 'allow', userId, amr: result.amr, authenticatedAt: result.authenticatedAt } as const);
  await services.store.transaction(async (tx) => {
    if (!(await tx.authorizations.finishRequest(record))) throw ended();
    if (!(await tx.deviceCodes.decide(account.id, digest, decision, now))) throw ended();
    const about = { actor: { type: 'user', id: userId }, target: { type: 'app', id: client.appId } } as const;
    await recordEvent(
      tx,
      services,
      account,
      result === 'denied'
        ? { ...about, action: 'device.denied', detail: { user_id: userId } }
        : { ...about, action: 'device.allowed', detail: { user_id: userId, scope } },
    );
  });
  return { location: `${redirectUri}?outcome=${result === 'denied' ? 'denied' : 'allowed'}` };
}

function ended(): Failure {
  const message = 'The code on your device has expired, or somebody decided about it already.';
  return new Failure('authorization_request_invalid', { message });
}
