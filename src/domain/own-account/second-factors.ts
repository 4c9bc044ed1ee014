/**
 * A user's own second factors. Changing them needs a recent sign-in: `enter` asks for it, and `inVisit` enforces it.
 */

import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { codeMethods, withSecondFactor } from '../login/methods.ts';
import { openRaisedSession } from '../opening/open.ts';
import { canAddDevice, type FactorDevice, listDevices, takeDevice } from '../second-factor/devices.ts';
import { addDevice, type Setup, setupOf } from '../second-factor/enrolments.ts';
import { makesCodes } from '../second-factor/kinds.ts';
import { acceptOffer, type CodeProblem, type Offer, offer } from '../second-factor/offers.ts';
import { giveRecoveryCodes, replaceRecoveryCodes } from '../second-factor/recovery-codes.ts';
import { inVisit, type Visitor } from './visit.ts';

type FactorServices = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'totp' | 'limits'>;

interface OwnFactors {
  /** Devices that make codes; passkeys have their own page. */
  readonly devices: readonly FactorDevice[];
  /** Number of unused recovery codes. */
  readonly recoveryCodesLeft: number;
  /** Whether another device may be added. */
  readonly canAdd: boolean;
}

export async function listFactors(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  { id }: Pick<UserRecord, 'id'>,
): Promise<OwnFactors> {
  return {
    devices: (await listDevices({ store }, account, id)).filter(makesCodes),
    recoveryCodesLeft: await store.secondFactors.countRecoveryCodes(account.id, id),
    canAdd: await canAddDevice(store, account, id, clock.now()),
  };
}

/** Adding a device gives the session a new digest, so the next offer has another seed. */
function offered(services: Pick<Services, 'vault'>, account: Account, { digest, userId }: SessionRecord): Offer {
  return offer(services, account, 'own second factor', `${digest} ${userId}`);
}

/** The contents of the enrolment page. */
export function ownSetup(
  services: Pick<Services, 'vault' | 'totp'>,
  account: Account,
  { user, session }: Visitor,
): Setup {
  return setupOf(services, account, user, offered(services, account, session).seed);
}

type AddResult =
  | {
      readonly outcome: 'added';
      /** Shown once; null if the user already has some. */
      readonly codes: readonly string[] | null;
      readonly sessionSecret: string;
    }
  | { readonly outcome: 'refused'; readonly problem: CodeProblem };

/**
 * Enrols the device that the code belongs to; the session then counts as having a second factor. The seed is shown on
 * the page, so a code is not a guess and is not counted. Throws `value_invalid` for a user who has ten devices,
 * `authorization_request_invalid` for a form that was sent twice, and as `inVisit` does.
 */
export async function addFactor(
  services: FactorServices,
  account: Account,
  visit: Visitor,
  typed: string,
): Promise<AddResult> {
  const actor = { type: 'user', id: visit.user.id } as const;
  const device = acceptOffer(services, offered(services, account, visit.session), typed, actor);
  if (typeof device === 'string') return { outcome: 'refused', problem: device };
  const adding = inVisit(services, account, visit, { recent: true }, async (tx, admitted): Promise<AddResult> => {
    const { user, session } = admitted;
    await addDevice(services, tx, account, user.id, device);
    const left = await tx.secondFactors.countRecoveryCodes(account.id, user.id);
    const codes = left > 0 ? null : await giveRecoveryCodes(services, tx, account, user.id, actor);
    const methods = withSecondFactor(session.amr, codeMethods);
    const sessionSecret = await openRaisedSession(services, tx, account, admitted, methods);
    return { outcome: 'added', codes, sessionSecret };
  });
  return adding.catch((error: unknown) => {
    if (!(error instanceof Failure && error.code === 'conflict')) throw error;
    throw new Failure('authorization_request_invalid', { message: 'This app is set up already.' });
  });
}

/** Removes one of the user's devices; does nothing if it was removed before. Throws as `inVisit` does. */
export async function removeFactor(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'limits'>,
  account: Account,
  visit: Visitor,
  deviceId: number,
): Promise<void> {
  try {
    await inVisit(services, account, visit, { recent: true }, (tx, { user }) =>
      takeDevice(services, tx, account, user, deviceId, { type: 'user', id: user.id }),
    );
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'not_found')) throw error;
  }
}

/** Replaces the recovery codes. Throws `not_found` for a user without a device, and as `inVisit` does. */
export function renewCodes(services: FactorServices, account: Account, visit: Visitor): Promise<readonly string[]> {
  return inVisit(services, account, visit, { recent: true }, (tx, { user }) =>
    replaceRecoveryCodes(services, tx, account, user, { type: 'user', id: user.id }),
  );
}
