import type { Services } from '../../services.ts';
import type { AwaitingDevice } from '../../store/authorization-parameters.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { admitSession } from '../login/admit-session.ts';
import type { OpenRequest } from '../login/authorization-request.ts';
import type { Granted } from '../login/finish.ts';
import { openDevice } from '../opening/open.ts';

/**
 * Ends the sign-in for a device, for exactly one caller: the device is approved for the session's user, or told that
 * the user refused. Returns where the browser goes. Returns null and does nothing when the session or its user has
 * changed. Throws `authorization_request_invalid`.
 */
export async function finishDevice(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  request: OpenRequest,
  { digest }: AwaitingDevice,
  result: Granted | { readonly deniedTo: number | null },
): Promise<{ readonly location: string } | null> {
  const { record, client } = request;
  const now = services.clock.now();
  const { scope, redirectUri, apiScopes = [] } = record.parameters;
  const isDenied = 'deniedTo' in result;
  const userId = isDenied ? result.deniedTo : result.user.id;
  if (userId === null) throw new Failure('internal', { reason: 'nobody decided about the device' });
  const isFinished = await services.store.transaction(async (tx) => {
    const verdict = isDenied ? null : await admitSession(services, tx, account, request, result);
    if (verdict && verdict.at !== 'end') return false;
    if (!(await tx.authorizations.finishRequest(record))) throw ended();
    const isDecided =
      verdict === null
        ? await tx.deviceCodes.decide(account.id, digest, denialOf(userId, now), now)
        : await openDevice(services, tx, account, verdict, digest, apiScopes);
    if (!isDecided) throw ended();
    const about = { actor: { type: 'user', id: userId }, target: { type: 'app', id: client.appId } } as const;
    await recordEvent(
      tx,
      services,
      account,
      isDenied
        ? { ...about, action: 'device.denied', detail: { user_id: userId } }
        : { ...about, action: 'device.allowed', detail: { user_id: userId, scope } },
    );
    return true;
  });
  if (!isFinished) return null;
  return { location: `${redirectUri}?outcome=${isDenied ? 'denied' : 'allowed'}` };
}

function denialOf(userId: number, decidedAt: Milliseconds) {
  return { decision: 'deny', userId, amr: null, authenticatedAt: null, sid: null, decidedAt, apiScopes: null } as const;
}

function ended(): Failure {
  const message = 'The code on your device has expired or has already been used.';
  return new Failure('authorization_request_invalid', { message });
}
