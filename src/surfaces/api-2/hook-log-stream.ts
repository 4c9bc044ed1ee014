import type { components, operations } from '../../../generated/api-2.ts';
import { isStillAdmitted } from '../../domain/callers/still-admitted.ts';
import type { FedRun } from '../../domain/hooks/log-feed.ts';
import { takeLogStream } from '../../domain/hooks/log-streams.ts';
import { requireHook } from '../../domain/hooks/read-hooks.ts';
import { type EventSink, EventStream, eventText } from '../../http/event-stream.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { representExecution } from './represent-hook.ts';

type Line = components['schemas']['HookLogEvent'];

const scope = 'manage_all';
/** Milliseconds after which a browser comes again. */
const retryMilliseconds = 3_000;

function represent({ run, hookUuid }: FedRun): Line {
  return { hook_id: hookUuid, ...representExecution(run) };
}

function sinkOf({ send, room, gone }: EventSink) {
  return {
    run: (fed: FedRun) => send(eventText({ id: fed.place, event: 'run', data: represent(fed) })),
    gap: () => send(eventText({ event: 'gap', data: {} })),
    heartbeat: (place: number) => send(`: still here\nid: ${place}\n\n`),
    room,
    isClosed: () => gone.aborted,
  };
}

/** GET /api/2/hooks/logs/stream */
export function streamHookLogs(services: Services): Handler<operations['streamHookLogs']> {
  return async ({ query, headers, origin: { account } }, respond) => {
    const { hook_id: uuid, seconds = null } = query;
    const hook = uuid === undefined ? null : (await requireHook(services.store, account, uuid)).hook;
    const { authorization = '' } = headers;
    const last = headers['last-event-id'];
    const stream = await takeLogStream(services, account, {
      hookId: hook?.id ?? null,
      after: last === undefined ? null : Number(last),
      seconds,
      key: authorization,
      isAllowed: () => isStillAdmitted(services, account, authorization, [scope]),
    });
    return respond(
      200,
      new EventStream(async (sink) => {
        sink.send(`retry: ${retryMilliseconds}\n\n`);
        const reason = await stream.run(sinkOf(sink), sink.gone);
        if (reason !== null) sink.send(eventText({ event: 'end', data: { reason } }));
      }),
    );
  };
}
