/** What housekeeping does for accounts each minute, and what it reports of them. */

import type { Account } from './domain/accounts/account.ts';
import { verifiedAt } from './domain/audit/verified.ts';
import { stackOf } from './domain/describe.ts';
import { removeRetiredKeys, rotateIfDue } from './domain/keys/rotate-keys.ts';
import { type RotationStep, rotationStepOf } from './domain/keys/rotation-step.ts';
import { keyAlgorithms } from './domain/keys/signing-keys.ts';
import type { Services } from './services.ts';
import type { KeyAlgorithm } from './store/keys.ts';
import type { MessageQueue } from './store/messages.ts';
import type { Milliseconds } from './store/time.ts';

/** Of one round. */
const accountsAtOnce = 100;

/** Receives how things stand. */
export interface RoundReport {
  /** The number of accounts by algorithm and step, when all accounts were looked at. */
  keys(accounts: ReadonlyMap<Step, number>): void;
  /** Since when the trail that was verified longest ago was not verified, when all accounts were looked at. */
  unverified(milliseconds: Milliseconds): void;
  /** `overdueMilliseconds`: since when the oldest is due; 0 when none is. */
  messages(queue: MessageQueue, count: number, overdueMilliseconds: Milliseconds): void;
}

type Step = `${KeyAlgorithm} ${RotationStep}`;

/** What was seen of an account. */
interface Standing {
  readonly steps: readonly Step[];
  readonly verifiedAt: Milliseconds;
}

type TendServices = Pick<Services, 'store' | 'clock' | 'vault' | 'log'>;

/** Tends some accounts in each round, starting where the last one ended. */
export function createTending(
  services: TendServices,
  report: RoundReport,
): (accounts: readonly Account[]) => Promise<void> {
  let next = 0;
  let seen: Standing[] = [];

  async function look(account: Account): Promise<Standing> {
    const keys = await services.store.keys.list(account.id);
    const steps = keyAlgorithms.map((alg) => `${alg} ${rotationStepOf(keys, alg, services.clock.now())}` as const);
    return { steps, verifiedAt: await verifiedAt(services, account.record) };
  }

  return async (accounts) => {
    if (next >= accounts.length) [next, seen] = [0, []];
    const found: Standing[] = [];
    for (const account of accounts.slice(next, next + accountsAtOnce)) {
      await tendKeys(services, account).catch((error: unknown) => {
        // The others' keys are due as well.
        services.log.error('housekeeping failed', { account: account.subdomain, stack: stackOf(error) });
      });
      found.push(await look(account));
    }
    seen.push(...found);
    next += accountsAtOnce;
    if (next < accounts.length) return;
    const steps = new Map<Step, number>();
    for (const step of seen.flatMap((one) => one.steps)) steps.set(step, (steps.get(step) ?? 0) + 1);
    report.keys(steps);
    const now = services.clock.now();
    report.unverified(Math.max(0, ...seen.map((one) => now - one.verifiedAt)));
  };
}

async function tendKeys(services: TendServices, account: Account): Promise<void> {
  const published = await rotateIfDue(services, account);
  if (published > 0) services.log.info('next signing keys published', { account: account.subdomain, count: published });
  const removed = await removeRetiredKeys(services, account);
  if (removed > 0) services.log.info('retired signing keys removed', { account: account.subdomain, count: removed });
}

/** Reports what waits to be sent. */
export async function lookAtMessages({ store, clock }: Pick<Services, 'store' | 'clock'>, report: RoundReport) {
  for (const { queue, count, dueAt } of await store.findWaitingMessages()) {
    report.messages(queue, count, dueAt === null ? 0 : Math.max(0, clock.now() - dueAt));
  }
}
