import type { Command } from 'commander';
import { listEvents } from '../domain/audit/list.ts';
import { beginVerification, noteVerification } from '../domain/audit/verified.ts';
import { verifyTrail } from '../domain/audit/verify.ts';
import type { EventRecord } from '../store/events.ts';
import { type Answer, accountOption, addCommand, addGroup, type Outlet } from './command.ts';
import { addLimitOption, type Limited, readLimit } from './listing.ts';
import { fields, isoTime } from './output.ts';
import { withProgress } from './progress.ts';
import { withAccount } from './session.ts';

interface OfAccount {
  readonly account: string;
  readonly json?: true;
}

const defaultLimit = 50;

export function addAuditCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'audit', 'the audit trail of an account');
  const list = addCommand<OfAccount & Limited>(group, 'list', 'list events, newest first', outlet, ({ options }) => {
    const limit = readLimit(options.limit) ?? defaultLimit;
    return withAccount(options.account, async (services, account) => {
      await writeAll(outlet, listEvents(services, account, limit), options.json === true);
      return null;
    });
  });
  addLimitOption(list.requiredOption(...accountOption), `maximum number of events; ${defaultLimit} by default`);
  addCommand<OfAccount>(group, 'verify', 'verify the chain of all events', outlet, ({ options }) =>
    withAccount(options.account, async (services, account): Promise<Answer> => {
      const begun = await beginVerification(services, account);
      const found = await withProgress({ json: options.json === true }, (progress) => {
        progress.stage('verifying events', null);
        return verifyTrail(services, account, progress.done);
      });
      await noteVerification(services, account, begun, found);
      const { events, verified, firstBad } = found;
      const json = { account: account.subdomain, events, verified, first_bad: firstBad };
      return { json, text: fields({ ...json, verified: verified ? 'yes' : 'no' }), exitCode: verified ? 0 : 1 };
    }),
  ).requiredOption(...accountOption);
}

/** One event after the other, as a list or as lines; none is kept. */
async function writeAll(outlet: Outlet, events: AsyncIterable<EventRecord>, asJson: boolean): Promise<void> {
  let before = '[';
  for await (const event of events) {
    const read = await outlet.write(asJson ? `${before}${JSON.stringify(represent(event))}` : lineOf(event));
    if (!read) return;
    before = ',\n';
  }
  if (asJson) await outlet.write(before === '[' ? '[]\n' : ']\n');
}

function represent(event: EventRecord) {
  return {
    id: event.id,
    created_at: isoTime(event.at),
    action: event.action,
    outcome: event.outcome,
    actor: { type: event.actorType, id: event.actorId },
    target: { type: event.targetType, id: event.targetId },
    source: event.source,
    request_id: event.requestId,
    detail: JSON.parse(event.detail) as unknown,
  };
}

/** A value within a line: quoted where it could be taken for another value, for several or for none. */
function word(value: string): string {
  return /^[\w.:@/][\w.:@/-]*$/.test(value) ? value : JSON.stringify(value);
}

/** An event as a line: id, time, action, actor, target and source, then its details as JSON. */
export function lineOf(event: EventRecord): string {
  const parties = [
    [event.actorType, event.actorId],
    [event.targetType, event.targetId],
  ];
  const [actor, target] = parties.map(([type, id]) => (id === null ? `${type}` : `${type} ${id}`));
  const source = event.source === null ? '-' : word(event.source);
  return `${event.id}  ${isoTime(event.at)}  ${event.action}  ${actor}  ${target}  ${source}  ${event.detail}\n`;
}
