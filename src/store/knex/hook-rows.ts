/** Mapping between columns and fields of hooks, versions, variables and executions. */

import type { HookExecutionRecord } from '../hook-executions.ts';
import type { HookVariableRecord } from '../hook-variables.ts';
import type { HookRecord, HookVersionRecord } from '../hooks.ts';
import { flag, json, shape } from './shape.ts';

export const hooks = shape<HookRecord>('hooks', 'id', {
  accountId: 'account_id',
  id: 'id',
  uuid: 'uuid',
  type: 'type',
  disabled: flag('disabled'),
  version: 'version',
  runningVersion: 'running_version',
  shadowFunction: 'shadow_function',
  shadowSetAt: 'shadow_set_at',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
});

export const hookVersions = shape<HookVersionRecord>('hook_versions', null, {
  accountId: 'account_id',
  hookId: 'hook_id',
  version: 'version',
  type: 'type',
  function: 'function',
  disabled: flag('disabled'),
  runtime: 'runtime',
  retries: 'retries',
  timeoutSeconds: 'timeout_seconds',
  options: json('options'),
  variableIds: json('variable_ids'),
  packages: json('packages'),
  conditions: json('conditions'),
  contextVersion: 'context_version',
  packageBuildId: 'package_build_id',
  authorType: 'author_type',
  authorId: 'author_id',
  createdAt: 'created_at',
});

export const hookVariables = shape<HookVariableRecord>('hook_variables', 'id', {
  accountId: 'account_id',
  id: 'id',
  uuid: 'uuid',
  name: 'name',
  sealedValue: 'sealed_value',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
});

export const hookExecutions = shape<HookExecutionRecord>('hook_executions', 'id', {
  accountId: 'account_id',
  id: 'id',
  hookId: 'hook_id',
  requestId: 'request_id',
  correlationId: 'correlation_id',
  createdAt: 'created_at',
  outcome: 'outcome',
  durationMilliseconds: 'duration_ms',
  attempt: 'attempt',
  events: json('events'),
  sealedReplay: 'sealed_replay',
  shadow: json('shadow'),
  expiresAt: 'expires_at',
});
