import type { components, operations } from '../../../generated/api-2.ts';
import { type ReplayOf, replayRun } from '../../domain/hooks/replay.ts';
import { sampleContexts } from '../../domain/hooks/sample-contexts.ts';
import { tryFunction } from '../../domain/hooks/trial.ts';
import { invalid } from '../../domain/hooks/values.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { representTestRun } from './represent-hook.ts';

type Trials = Pick<operations, 'listHookContexts' | 'testHookFunction' | 'replayHookRun'>;

function readReplayOf(body: components['schemas']['HookReplayInput']): ReplayOf {
  const { version, draft, function: encoded } = body;
  const named: NonNullable<ReplayOf>[] = [];
  if (version !== undefined && version !== null) named.push({ version });
  if (draft === true) named.push({ draft });
  if (encoded !== undefined && encoded !== null) named.push({ function: encoded });
  if (named.length > 1) throw invalid('version', 'must be the only one of version, draft and function');
  return named[0] ?? null;
}

/** Runs without effect. */
export function hookTrials(services: Services): Handlers<Trials> {
  return {
    /** GET /api/2/hooks/contexts */
    listHookContexts: async ({ origin: { account } }, respond) =>
      respond(
        200,
        (await sampleContexts(services, account)).map(({ type, contextVersion, context }) => ({
          type,
          context_version: contextVersion,
          context,
        })),
      ),

    /** POST /api/2/hooks/test */
    testHookFunction: async ({ body, origin: { account } }, respond) => {
      const input = {
        type: body.type,
        function: body.function,
        runtime: body.runtime,
        timeout: body.timeout,
        envVars: body.env_vars?.map((item) => (typeof item === 'string' ? item : item.name)),
        packages: body.packages,
      };
      return respond(200, representTestRun(await tryFunction(services, account, input, body.context)));
    },

    /** POST /api/2/hooks/{id}/logs/{run}/replay */
    replayHookRun: async ({ path, body, origin: { account } }, respond) => {
      const of = readReplayOf(body);
      const { context, same, recorded, replayed } = await replayRun(services, account, path.id, path.run, of);
      return respond(200, {
        context,
        same,
        recorded: {
          outcome: recorded.outcome,
          policy_id: recorded.answer?.policyId ?? null,
          output: [...recorded.output],
        },
        replayed: { ...representTestRun(replayed), policy_id: replayed.answer?.policyId ?? null },
      });
    },
  };
}
