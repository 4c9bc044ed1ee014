/** Runs a hook, with retries where allowed, and records each run. */

import { randomUUID } from 'node:crypto';
import type { HookExecutionRecord, HookOutcome } from '../../store/hook-executions.ts';
import type { Account } from '../accounts/account.ts';
import { day } from '../durations.ts';
import { type InvalidAnswer, isInvalid, malformed, parseAnswer } from './answers.ts';
import { faultLine, outputLines } from './log-lines.ts';
import { type RunnableHook, type RunServices, runOnce, unavailable } from './one-run.ts';
import { sealReplay, shownAnswer } from './replay-records.ts';
import type { HookRunResult } from './runner.ts';
import { inUserTurn, type RunFor } from './user-turns.ts';

/** The document's §4.4. */
export const executionMilliseconds = 7 * day;

export type NewExecution = Omit<HookExecutionRecord, 'id'>;

/** The kind of answer that is expected from a run. */
export interface Asked<Answer> {
  readonly correlationId: string;
  /** The context of the run with this UUID. */
  readonly contextOf: (requestId: string) => Readonly<Record<string, unknown>>;
  /** The part of the context to store for a replay. */
  readonly redact?: (context: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** Interprets an answer. */
  readonly read: (value: unknown) => Answer | InvalidAnswer;
  /** Whether the answer refuses the sign-in. */
  readonly refuses: (answer: Answer) => boolean;
  /** The user for whom it runs, if any; runs for strangers have their own turns. */
  readonly runFor?: RunFor;
}

export interface Ran<Answer> {
  /** Null if every run failed. */
  readonly answer: Answer | null;
  /** How the last run ended. */
  readonly outcome: HookOutcome;
  /** The last run did not begin, because other runs of the same user were under way. */
  readonly isCrowdedOut: boolean;
  /** One for each run. */
  readonly executions: readonly NewExecution[];
}

/** Runs the hook until it answers: once, plus the allowed retries. */
export async function runHook<Answer extends object>(
  services: RunServices,
  account: Account,
  hook: RunnableHook,
  asked: Asked<Answer>,
): Promise<Ran<Answer>> {
  const executions: NewExecution[] = [];
  let outcome: HookOutcome = 'unavailable';
  let isCrowdedOut = false;
  for (let attempt = 1; attempt <= hook.stored.definition.retries + 1; attempt += 1) {
    const ran = await runAttempt(services, account, hook, asked, attempt);
    executions.push(ran.execution);
    outcome = ran.execution.outcome;
    isCrowdedOut = ran.isCrowdedOut;
    if (ran.answer !== null) return { answer: ran.answer, outcome, isCrowdedOut, executions };
  }
  return { answer: null, outcome, isCrowdedOut, executions };
}

async function runAttempt<Answer extends object>(
  services: RunServices,
  account: Account,
  hook: RunnableHook,
  asked: Asked<Answer>,
  attempt: number,
): Promise<Pick<Ran<Answer>, 'answer' | 'isCrowdedOut'> & { readonly execution: NewExecution }> {
  const requestId = randomUUID();
  const createdAt = services.clock.now();
  const context = asked.contextOf(requestId);
  const run = () => runOnce(services, account, hook, context);
  const ran = asked.runFor ? await inUserTurn(services, account, asked.runFor, run) : await run();
  const result = typeof ran === 'string' ? unavailable : ran;
  const value = result.ending === 'success' ? parseAnswer(result.value) : undefined;
  const read = value === undefined ? malformed : asked.read(value);
  const answer = isInvalid(read) ? null : read;
  const outcome = outcomeOf(result, answer, asked.refuses);
  const { lines } = outputLines(requestId, result, services.clock.now(), hook.masking);
  const kept = asked.redact?.(context) ?? context;
  return {
    answer,
    isCrowdedOut: ran === 'own_runs',
    execution: {
      accountId: account.id,
      hookId: hook.stored.hook.id,
      requestId,
      correlationId: asked.correlationId,
      createdAt,
      outcome,
      durationMilliseconds: Math.max(0, Math.round(result.durationMilliseconds)),
      attempt,
      events:
        outcome === 'invalid_result' && isInvalid(read)
          ? [...lines, faultLine(requestId, services.clock.now(), read)]
          : lines,
      sealedReplay: account.settings.hookReplay
        ? sealReplay(services, account, requestId, { context: kept, outcome, answer: shownAnswer(answer) })
        : null,
      shadow: null,
      expiresAt: createdAt + executionMilliseconds,
    },
  };
}

function outcomeOf<Answer extends object>(
  { ending }: HookRunResult,
  answer: Answer | null,
  refuses: (answer: Answer) => boolean,
): HookOutcome {
  if (ending !== 'success') return ending;
  if (answer === null) return 'invalid_result';
  return refuses(answer) ? 'refused' : 'success';
}
