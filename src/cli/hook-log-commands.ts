import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { fileFaultOf } from '../adapters/file-faults.ts';
import { printableJson, printableValue } from '../adapters/printable.ts';
import type { Account } from '../domain/accounts/account.ts';
import { Failure } from '../domain/failure.ts';
import { setShadow } from '../domain/hooks/drafts.ts';
import { pageExecutions } from '../domain/hooks/executions.ts';
import { rollBackHook, switchHook } from '../domain/hooks/hooks.ts';
import { replay } from '../domain/hooks/replay.ts';
import type { WrittenHook } from '../domain/hooks/write-version.ts';
import type { Services } from '../services.ts';
import type { HookExecutionRecord } from '../store/hook-executions.ts';
import { type Answer, accountOption, addCommand, type OfAccount, type Outlet } from './command.ts';
import { fields, isoTime } from './output.ts';
import { withAccount } from './session.ts';

const shownAtFirst = 100;
const pollMilliseconds = 500;
/**
 * A record is stored when all hooks of its sign-in have ended, so a run may have begun this long before the last poll.
 */
const overlapMilliseconds = 120_000;

/** Commands for an account's hooks. */
export function addHookLogCommands(group: Command, outlet: Outlet): void {
  addCommand<OfAccount & { follow?: true; json?: true }>(
    group,
    'logs <hook-id>',
    'show the last runs of a hook, oldest first',
    outlet,
    ({ args: [id], options }) =>
      withAccount(options.account, (services, account) => logs(services, account, String(id), options, outlet)),
  )
    .requiredOption(...accountOption)
    .option('--follow', 'keep showing new runs until interrupted; with --json, one value per line');
  addCommand<OfAccount & { file: string }>(
    group,
    'replay <request_id>',
    'run a draft with the context of a recorded run, and compare',
    outlet,
    async ({ args: [id], options }) => {
      const source = await readHookFile(options.file);
      return withAccount(options.account, (services, account) => compare(services, account, String(id), source));
    },
  )
    .requiredOption(...accountOption)
    .requiredOption('--file <draft.js>', 'the draft');
  addCommand<OfAccount & { file?: string; off?: true }>(
    group,
    'shadow <hook-id>',
    'run a draft beside a hook; the log says where they differ',
    outlet,
    async ({ args: [id], options: { account: subdomain, file, off } }) => {
      if ((file === undefined) === (off === undefined)) {
        throw new Failure('value_invalid', { name: 'file', message: 'give either --file or --off' });
      }
      const source = file === undefined ? null : await readHookFile(file);
      return withAccount(subdomain, async (services, account) => {
        await setShadow(services, account, String(id), source);
        const json = { id: String(id), shadow: source === null ? 'off' : 'on' };
        return { json, text: fields(json) };
      });
    },
  )
    .requiredOption(...accountOption)
    .option('--file <draft.js>', 'the draft')
    .option('--off', 'remove the draft');
  addCommand<OfAccount>(
    group,
    'rollback <hook-id>',
    'undo the last write of a hook; a second rollback undoes the first',
    outlet,
    ({ args: [id], options }) =>
      withAccount(options.account, async (services, account) =>
        shownWritten(await rollBackHook(services, account, String(id))),
      ),
  ).requiredOption(...accountOption);
  addSwitch(group, outlet, 'enable', false);
  addSwitch(group, outlet, 'disable', true);
}

function addSwitch(group: Command, outlet: Outlet, name: string, disabled: boolean): void {
  addCommand<OfAccount>(
    group,
    `${name} <hook-id>`,
    `${name} a hook; nothing else of it changes`,
    outlet,
    ({ args: [id], options }) =>
      withAccount(options.account, async (services, account) =>
        shownWritten(await switchHook(services, account, String(id), disabled)),
      ),
  ).requiredOption(...accountOption);
}

/** The answer to a write of a hook. */
export function shownWritten({ hook, status, warning }: WrittenHook): Answer {
  const json = { id: hook.uuid, version: hook.version, status, disabled: hook.disabled };
  const warned = warning === null ? {} : { warning };
  return { json: { ...json, ...warned }, text: fields({ ...json, disabled: hook.disabled ? 'yes' : 'no', ...warned }) };
}

/** Throws `value_invalid` with the reason for a file that cannot be read. */
export async function readHookFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const message = `${file} cannot be read: ${fileFaultOf(error)}`;
    throw new Failure('value_invalid', { name: 'file', message }, { cause: error });
  }
}

async function compare(services: Services, account: Account, id: string, source: string): Promise<Answer> {
  const { recorded, draft, same } = await replay(services, account, id, source);
  const { output, durationMilliseconds: duration, ...told } = draft;
  const json = { request_id: id, same, recorded, draft: { ...told, output, duration_ms: duration } };
  const words = ({ outcome, result }: typeof told) => (result === null ? outcome : `${outcome}: ${result}`);
  const summary = fields({ same: same ? 'yes' : 'no', recorded: words(recorded), draft: words(told) });
  return {
    json,
    text: [...output.map((line) => `${printableValue(line)}\n`), summary].join(''),
    exitCode: same ? 0 : 1,
  };
}

/** Runs since `from`, oldest first. */
async function runsSince(services: Services, account: Account, id: string, from: number, descending: boolean) {
  const filters = [{ field: 'created_at', test: 'from', values: [from] }] as const;
  const sort = { field: 'created_at', descending };
  const query = { sort, filters, limit: descending ? shownAtFirst : 1000, at: { page: 1 } };
  const { items } = await pageExecutions(services, account, id, query);
  return descending ? [...items].reverse() : items;
}

async function logs(
  services: Services,
  account: Account,
  id: string,
  { follow, json }: { follow?: true; json?: true },
  outlet: Outlet,
): Promise<Answer | null> {
  const first = await runsSince(services, account, id, 0, true);
  if (!follow) return { json: first.map(represent), text: first.map(lines).join('') || 'none\n' };
  const seen = new Map(first.map((run) => [run.requestId, run.createdAt]));
  const show = (runs: readonly HookExecutionRecord[]) =>
    outlet.write(runs.map((run) => (json ? `${printableJson(represent(run))}\n` : lines(run))).join(''));
  let reads = first.length === 0 || (await show(first));
  while (reads) {
    await delay(pollMilliseconds);
    const from = services.clock.now() - overlapMilliseconds;
    for (const [run, at] of seen) if (at < from) seen.delete(run);
    const found = (await runsSince(services, account, id, from, false)).filter(({ requestId }) => !seen.has(requestId));
    for (const { requestId, createdAt } of found) seen.set(requestId, createdAt);
    if (found.length > 0) reads = await show(found);
  }
  return null;
}

function represent(run: HookExecutionRecord) {
  return {
    request_id: run.requestId,
    correlation_id: run.correlationId,
    created_at: isoTime(run.createdAt),
    outcome: run.outcome,
    duration_ms: run.durationMilliseconds,
    attempt: run.attempt,
    events: run.events,
  };
}

function lines(run: HookExecutionRecord): string {
  const head = `${isoTime(run.createdAt)}  ${run.requestId}  ${run.outcome}  ${run.durationMilliseconds} ms  attempt ${run.attempt}`;
  return [head, ...run.events.map((line) => `  ${printableValue(line)}`)].map((line) => `${line}\n`).join('');
}
