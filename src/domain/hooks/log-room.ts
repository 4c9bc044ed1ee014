/**
 * What is kept of an account's hook runs: functions write up to 64 KB each, and the disk is everybody's. An account has a
 * setting for the whole, where its oldest runs go first, and writes a hundredth of it in a minute with each process.
 */

import type { Services } from '../../services.ts';
import { bytesOf, type LogRoom } from '../../store/hook-executions.ts';
import type { Account } from '../accounts/account.ts';
import { type Allowance, createAllowance } from '../allowance.ts';
import { createOnceAnHour, type Once } from '../audit/once.ts';
import { minute } from '../durations.ts';
import { perKey } from '../per-key.ts';
import { noteLine } from './log-lines.ts';
import type { NewExecution } from './run-hook.ts';
import type { HookRunner } from './runner.ts';

/** Of the room of an account. */
const shareOfMinute = 0.01;
/** What is left of the lines of a run that failed: the error that ended it, with its frames, is at their end. */
const mostOfFailed = 6_000;

/** By runner, of which a process has one. */
const written = perKey<HookRunner, Allowance>(() => createAllowance(minute));
/** Whose runs were said to go early. */
const said = perKey<HookRunner, Once>(createOnceAnHour);

/** Where runs take nothing. */
export const noneWanted: LogRoom = { isEnough: true, deleted: 0 };

function megabytes(bytes: number): string {
  return `${bytes / 1_000_000} MB`;
}

/** The runs as they are kept: without their lines where the account has written its share of this minute. */
export function withinMinute(
  { hooks, clock }: Pick<Services, 'hooks' | 'clock'>,
  account: Account,
  executions: readonly NewExecution[],
): readonly NewExecution[] {
  const most = account.settings.hookLogBytes * shareOfMinute;
  return executions.map((execution) => {
    if (written(hooks).take(account.id, bytesOf(execution), most, clock.now())) return execution;
    return shortened(
      execution,
      `logs of this account are bounded by ${megabytes(most)} a minute (a hundredth of hook_log_megabytes)`,
    );
  });
}

/** What is kept where older runs must go first. */
export function withoutRoom(account: Account, executions: readonly NewExecution[]): readonly NewExecution[] {
  const room = megabytes(account.settings.hookLogBytes);
  const why = `logs of this account are bounded by ${room} (hook_log_megabytes), and are being deleted`;
  return executions.map((execution) => shortened(execution, why));
}

/** The author of a hook can push out the records of what it did before: once an hour the log of the service says so. */
export function sayDeleted({ hooks, log }: Pick<Services, 'hooks' | 'log'>, { id, subdomain }: Account): void {
  const happening = { kind: 'deleted early', about: 'hook runs', what: '', source: null };
  if (said(hooks).isFirst(id, happening)) log.warn('hook runs deleted early', { account: subdomain });
}

/** How the run ended is kept, with a line that says what is missing. A short run is kept as it is. */
function shortened(execution: NewExecution, why: string): NewExecution {
  const { events, outcome, requestId, createdAt, sealedReplay } = execution;
  const kept = outcome === 'success' || outcome === 'refused' ? [] : endOf(events);
  const lost = events.length - kept.length;
  const missing = [
    ...(lost > 0 ? [lost === 1 ? '1 line' : `${lost} lines`] : []),
    ...(sealedReplay === null ? [] : ['the context']),
  ];
  const note = noteLine(requestId, createdAt, 'WARN', `${missing.join(' and ')} not kept: ${why}`);
  const short = { ...execution, events: [...kept, note], sealedReplay: null };
  return bytesOf(short) < bytesOf(execution) ? short : execution;
}

function endOf(events: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let left = mostOfFailed;
  for (const line of [...events].reverse()) {
    if (left <= 0) break;
    kept.push(line.slice(0, left));
    left -= line.length;
  }
  return kept.reverse();
}
