import type { Services } from '../../services.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { FactorDeviceRecord } from '../../store/second-factors.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/context.ts';
import { recordEvent } from '../audit/record.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { attemptUnder } from '../policies/lockout.ts';
import { findStepOf, makesCodes, normalCode } from './kinds.ts';
import { readRecoveryCode, recoveryDigest } from './recovery-codes.ts';

type CodeServices = Pick<Services, 'store' | 'clock' | 'vault' | 'totp'>;

interface CodeAttempt {
  /** As typed. */
  readonly code: string;
  /** The only device whose code is accepted; null: any of the user's devices, or a recovery code. */
  readonly deviceId: number | null;
  /** The actor, if the request does not name one. */
  readonly actor?: Actor;
}

/** What a code may match, to be used up. */
type Candidate = { readonly device: FactorDeviceRecord; readonly step: number } | { readonly recoveryDigest: string };

/**
 * Uses up a code of the user's second factor and runs `onPass` in the same transaction. Returns null and does nothing
 * for a wrong or used code, and while codes are closed after too many wrong ones. As for passwords, the attempt is
 * counted first, under the user's own policy; only a right code takes the count back.
 */
export async function useCode<Result>(
  services: CodeServices,
  account: Account,
  user: UserRecord,
  attempt: CodeAttempt,
  onPass: (tx: StoreVerbs) => Promise<Result>,
): Promise<Result | null> {
  const policy = await effectivePolicy(services, account, user, null);
  const counted = await services.store.secondFactors.countAttempt(attemptUnder(services, user, policy));
  const candidates = counted ? await findCandidates(services, account, user, attempt) : [];
  for (const candidate of candidates) {
    const done = await services.store.transaction(async (tx) => {
      await tx.users.lock(account.id, user.id);
      const passed = await consume(services, tx, account, user, candidate, attempt.actor);
      return passed ? { result: await onPass(tx) } : null;
    });
    if (done) return done.result;
  }
  await recordFailure(services, account, user, attempt.actor, counted, policy);
  return null;
}

async function findCandidates(
  services: CodeServices,
  account: Account,
  user: UserRecord,
  { code: typed, deviceId }: CodeAttempt,
): Promise<Candidate[]> {
  const code = normalCode(typed);
  const devices = (await services.store.secondFactors.listDevices(account.id, user.id)).filter(makesCodes);
  const recovery = deviceId === null && devices.length > 0 ? readRecoveryCode(code) : null;
  if (recovery !== null) return [{ recoveryDigest: recoveryDigest(services, account, user.id, recovery) }];
  const meant = deviceId === null ? devices : devices.filter(({ id }) => id === deviceId);
  return meant.flatMap((device) => {
    const step = findStepOf(services, account, device, code);
    return step === null ? [] : [{ device, step }];
  });
}

/** Decided by one conditional update; part of a transaction. */
async function consume(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  user: UserRecord,
  candidate: Candidate,
  by: Actor | undefined,
): Promise<boolean> {
  const { secondFactors } = tx;
  const now = services.clock.now();
  const about = { ...(by && { actor: by }), target: { type: 'user', id: user.id } } as const;
  if ('recoveryDigest' in candidate) {
    if (!(await secondFactors.useRecoveryCode(account.id, user.id, candidate.recoveryDigest, now))) return false;
    const left = await secondFactors.countRecoveryCodes(account.id, user.id);
    await recordEvent(tx, services, account, { ...about, action: 'mfa.recovery_code_used', detail: { left } });
    await secondFactors.clearAttempts(account.id, user.id);
    return true;
  }
  const { device, step } = candidate;
  if (!(await secondFactors.useStep(account.id, device.id, step, now))) return false;
  await secondFactors.clearAttempts(account.id, user.id);
  await recordEvent(tx, services, account, { ...about, action: 'mfa.verified', detail: { device_id: device.id } });
  return true;
}

async function recordFailure(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  user: UserRecord,
  by: Actor | undefined,
  counted: 'counted' | 'last' | null,
  { maximumInvalidLoginAttempts }: PolicyRecord,
): Promise<void> {
  const about = { ...(by && { actor: by }), target: { type: 'user', id: user.id } } as const;
  await services.store.transaction(async (tx) => {
    const reason = counted ? 'wrong_code' : 'closed';
    await recordEvent(tx, services, account, { ...about, action: 'mfa.failed', detail: { reason } });
    if (counted !== 'last') return;
    const detail = { attempts: maximumInvalidLoginAttempts };
    await recordEvent(tx, services, account, { ...about, action: 'mfa.closed', detail });
  });
}
