import type { components } from '../../../generated/api-2.ts';
import type { pageExecutions } from '../../domain/hooks/executions.ts';
import type { NamedHook } from '../../domain/hooks/read-hooks.ts';
import type { TestRun } from '../../domain/hooks/test-run.ts';
import type { WrittenHook } from '../../domain/hooks/write-version.ts';
import { time } from './represent-user.ts';

type Hook = components['schemas']['Hook'];
type Options = NamedHook['definition']['options'];
type Execution = Awaited<ReturnType<typeof pageExecutions>>['items'][number];

export function representOptions(options: Options): Hook['options'] {
  if (options === null) return null;
  return {
    risk_enabled: options.riskEnabled,
    location_enabled: options.locationEnabled,
    mfa_device_info_enabled: options.mfaDeviceInfoEnabled,
    // The document knows three; a client that compares its input with the response would stumble over a fourth.
    ...(options.failedLoginAttemptsEnabled && { failed_login_attempts_enabled: true }),
  };
}

export function representHook({ hook, definition, envVars, status }: NamedHook): Hook {
  return {
    id: hook.uuid,
    type: definition.type,
    function: definition.function,
    disabled: definition.disabled,
    runtime: definition.runtime,
    retries: definition.retries,
    timeout: definition.timeoutSeconds,
    options: representOptions(definition.options),
    env_vars: [...envVars],
    packages: { ...definition.packages },
    conditions: definition.conditions.map(({ source, operator, value }) => ({ source, operator, value })),
    context_version: definition.contextVersion,
    status,
    created_at: time(hook.createdAt),
    updated_at: time(hook.updatedAt),
  };
}

/** The answer to a write. */
export function representWritten({ warning, ...hook }: WrittenHook): Hook {
  return { ...representHook(hook), ...(warning !== null && { warning }) };
}

export function representTestRun(run: TestRun): components['schemas']['HookTestResult'] {
  return {
    outcome: run.outcome,
    value: run.value,
    error: run.error,
    output: [...run.output],
    dropped: run.dropped,
    duration_ms: run.durationMilliseconds,
  };
}

export function representExecution(execution: Execution): components['schemas']['HookExecution'] {
  return {
    request_id: execution.requestId,
    correlation_id: execution.correlationId,
    created_at: time(execution.createdAt),
    outcome: execution.outcome,
    duration_ms: execution.durationMilliseconds,
    attempt: execution.attempt,
    events: [...execution.events],
  };
}
