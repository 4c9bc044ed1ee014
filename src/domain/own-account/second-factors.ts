/** A user's own second factors. What changes them needs a recent sign-in, which `enter` sees to. */

import type { Services } from '../../services.ts';
import type { SessionRecord, UserRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { codeMethods, withSecondFactor } from '../login/methods.ts';
import { ownPages } from '../login/own-pages.ts';
import { admit } from '../opening/admit.ts';
import { openRaisedSession } from '../opening/open.ts';
import { canAddDevice, type Device, listDevices, removeDevice } from '../second-factor/devices.ts';
import { makesCodes } from '../second-factor/kinds.ts';
import { acceptOffer, type CodeProblem, type Offer, offer } from '../second-factor/offers.ts';
import { giveRecoveryCodes, renewRecoveryCodes } from '../second-factor/recovery-codes.ts';
import { addDevice, type Setup, setupOf } from '../second-factor/registrations.ts';
import type { Visit } from './enter.ts';

type FactorServices = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'totp'>;

export interface OwnFactors {
  /** Those that make codes; passkeys have a page of their own. */
  readonly devices: readonly Device[];
  /** Recovery codes that were not used. */
  readonly recoveryCodesLeft: number;
  /** Whether there may be one more. */
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

/** The session gets a new digest with the device, so that the next one has another key. */
function offered(services: Pick<Services, 'vault'>, account: Account, { digest, userId }: SessionRecord): Offer {
  return offer(services, account, 'own second factor', `${digest} ${userId}`);
}

/** What the page shows on which a device is enrolled. */
export function ownSetup(
  services: Pick<Services, 'vault' | 'totp'>,
  account: Account,
  { user, session }: Pick<Visit, 'user' | 'session'>,
): Setup {
  return setupOf(services, account, user, offered(services, account, session).seed);
}

export type AddResult =
  | {
      readonly outcome: 'added';
      /** Shown once; null where the user has some already. */
      readonly codes: readonly string[] | null;
      readonly sessionSecret: string;
    }
  | { readonly outcome: 'refused'; readonly problem: CodeProblem };

/**
 * Enrols the device whose code this is; the session is worth a second factor from then on. A code of the seed that the
 * page shows is no guess: it is not counted. Throws `value_invalid` for a user who has ten, and
 * `authorization_request_invalid` for a form that was sent twice.
 */
export async function addFactor(
  services: FactorServices,
  account: Account,
  { user, session }: Pick<Visit, 'user' | 'session'>,
  typed: string,
): Promise<AddResult> {
  const actor = { type: 'user', id: user.id } as const;
  const device = acceptOffer(services, offered(services, account, session), typed, actor);
  if (typeof device === 'string') return { outcome: 'refused', problem: device };
  const adding = services.store.transaction(async (tx): Promise<AddResult> => {
    const shown = { by: 'session', user, session } as const;
    const way = { client: ownPages(account), hookPolicyId: null, wantsSecondFactor: false };
    const admitted = await admit(services, tx, account, shown, way);
    if (admitted.at !== 'end')
      throw new Failure('authorization_request_invalid', { message: 'You are no longer signed in.' });
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

/** Removes a device of the user's; one that is not there any more is none to remove. */
export async function removeFactor(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  { user }: Pick<Visit, 'user'>,
  deviceId: number,
): Promise<void> {
  const actor = { type: 'user', id: user.id } as const;
  try {
    await removeDevice(services, account, user.id, deviceId, actor);
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'not_found')) throw error;
  }
}

/** New recovery codes in place of the former ones. Throws `not_found` for a user who has no device. */
export function renewCodes(
  services: FactorServices,
  account: Account,
  { user }: Pick<Visit, 'user'>,
): Promise<readonly string[]> {
  return renewRecoveryCodes(services, account, user.id, { type: 'user', id: user.id });
}
