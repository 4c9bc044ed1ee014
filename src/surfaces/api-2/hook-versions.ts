import type { components, operations } from '../../../generated/api-2.ts';
import {
  type Draft,
  promoteDraft,
  readDraft,
  readDraftResults,
  removeDraft,
  setDraft,
} from '../../domain/hooks/drafts.ts';
import { rollBackHook } from '../../domain/hooks/hooks.ts';
import { type KeptVersion, listVersions, readVersion } from '../../domain/hooks/read-versions.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { representOptions, representWritten } from './represent-hook.ts';
import { time } from './represent-user.ts';

type HookHistory = Pick<
  operations,
  | 'listHookVersions'
  | 'readHookVersion'
  | 'rollBackHook'
  | 'readHookDraft'
  | 'replaceHookDraft'
  | 'deleteHookDraft'
  | 'promoteHookDraft'
  | 'readHookDraftResults'
>;

type Version = components['schemas']['HookVersion'];
type Difference = Awaited<ReturnType<typeof readDraftResults>>['differences'][number];
type Outcome = NonNullable<Difference['shadow']>['live'];

function representVersion({ definition, envVars, isRunning }: KeptVersion): Version {
  const { authorType: type, authorId: id } = definition;
  return {
    version: definition.version,
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
    running: isRunning,
    created_at: time(definition.createdAt),
    written_by: type === null ? null : ({ type, id } as Version['written_by']),
  };
}

function representDraft({ function: encoded, setAt }: Draft): components['schemas']['HookDraft'] {
  return { function: encoded, updated_at: time(setAt) };
}

function representOutcome({ outcome, policyId }: Outcome): components['schemas']['HookDraftOutcome'] {
  return { outcome, policy_id: policyId };
}

function representDifference(run: Difference): components['schemas']['HookDraftDifference'][] {
  if (!run.shadow) return [];
  return [
    {
      request_id: run.requestId,
      correlation_id: run.correlationId,
      created_at: time(run.createdAt),
      live: representOutcome(run.shadow.live),
      draft: representOutcome(run.shadow.draft),
    },
  ];
}

/** Versions and the draft of a hook. */
export function hookHistory(services: Services): Handlers<HookHistory> {
  return {
    /** GET /api/2/hooks/{id}/versions */
    listHookVersions: async ({ path, origin: { account } }, respond) =>
      respond(200, (await listVersions(services, account, path.id)).map(representVersion)),

    /** GET /api/2/hooks/{id}/versions/{version} */
    readHookVersion: async ({ path, origin: { account } }, respond) =>
      respond(200, representVersion(await readVersion(services, account, path.id, path.version))),

    /** POST /api/2/hooks/{id}/rollback */
    rollBackHook: async ({ path, body, origin: { account } }, respond) =>
      respond(200, representWritten(await rollBackHook(services, account, path.id, body.version ?? null))),

    /** GET /api/2/hooks/{id}/draft */
    readHookDraft: async ({ path, origin: { account } }, respond) =>
      respond(200, representDraft(await readDraft(services.store, account, path.id))),

    /** PUT /api/2/hooks/{id}/draft */
    replaceHookDraft: async ({ path, body, origin: { account } }, respond) =>
      respond(200, representDraft(await setDraft(services, account, path.id, body.function))),

    /** DELETE /api/2/hooks/{id}/draft */
    deleteHookDraft: async ({ path, origin: { account } }, respond) => {
      await removeDraft(services, account, path.id, true);
      return respond(204);
    },

    /** POST /api/2/hooks/{id}/draft/promote */
    promoteHookDraft: async ({ path, origin: { account } }, respond) =>
      respond(200, representWritten(await promoteDraft(services, account, path.id))),

    /** GET /api/2/hooks/{id}/draft/results */
    readHookDraftResults: async ({ path, origin: { account } }, respond) => {
      const { since, same, different, differences } = await readDraftResults(services, account, path.id);
      return respond(200, {
        since: time(since),
        same,
        different,
        differences: differences.flatMap(representDifference),
      });
    },
  };
}
