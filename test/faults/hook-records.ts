/** Holds the records of hooks' runs against each other, against the trail and against what browsers were answered. */

import { readRows } from '../support/rows.ts';
import type { Answered } from './hook-sign-ins.ts';

const weekMilliseconds = 7 * 86_400_000;
const failures = ['error', 'timeout', 'out_of_memory', 'crashed', 'unavailable', 'invalid_result'];

/** A hook that fires in every sign-in. */
export interface Firing {
  readonly id: string;
  readonly retries: number;
}

/** What the account said of hooks that fail, from a moment on. */
export interface Setting {
  readonly since: number;
  readonly hookFailure: 'deny' | 'continue';
}

export interface Proof {
  readonly databaseUrl: string;
  /** In the order in which they run. */
  readonly hooks: readonly Firing[];
  /** In order. */
  readonly settings: readonly Setting[];
  readonly answered: readonly Answered[];
  /** Lines that a run writes from its begin to its end. */
  readonly lines: readonly string[];
}

interface Row {
  readonly request_id: string;
  readonly correlation_id: string;
  readonly hook_id: number | string;
  readonly created_at: number | string;
  readonly expires_at: number | string;
  readonly outcome: string;
  readonly attempt: number;
  readonly events: string;
}

interface EventRow {
  readonly action: string;
  readonly request_id: string;
  readonly detail: string;
}

interface HookRow {
  readonly id: number | string;
  readonly uuid: string;
}

export interface Found {
  /** One sentence for each thing that is wrong. */
  readonly faults: readonly string[];
  /** How often each outcome is recorded. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly refused: number;
  readonly continued: number;
  /** Sign-ins with records whose browser heard nothing. */
  readonly unheard: number;
}

/** Reads the database past the service, which need not run. */
export async function findRecordFaults(proof: Proof): Promise<Found> {
  const tables = await readRows(proof.databaseUrl);
  const rows = (tables['hook_executions'] ?? []) as Row[];
  const uuids = new Map((tables['hooks'] as HookRow[]).map(({ id, uuid }) => [String(id), uuid]));
  const failed = ((tables['events'] ?? []) as EventRow[]).filter(({ action }) => action === 'hook.failed');
  const statuses = new Map(proof.answered.map(({ requestId, status }) => [requestId, status]));
  const bySignIn = Map.groupBy(rows, (row) => row.correlation_id);
  const told = Map.groupBy(failed, (event) => event.request_id);
  const faults = rows.flatMap((row) => brokenRecord(row, proof.lines) ?? []);
  if (new Set(rows.map((row) => row.request_id)).size < rows.length) faults.push('a run is recorded twice');
  const ends: string[] = [];
  for (const signIn of new Set([...statuses.keys(), ...bySignIn.keys(), ...told.keys()])) {
    const { end, events, fault } = judge(proof, bySignIn.get(signIn) ?? [], uuids);
    ends.push(end);
    const wrong = [
      fault,
      sameEvents(events, told.get(signIn) ?? []) ? null : 'its events are not those of its records',
      statuses.has(signIn) && (statuses.get(signIn) === 403) !== (end === 'refused')
        ? `${end}, and answered ${statuses.get(signIn)}`
        : null,
    ];
    faults.push(...wrong.flatMap((text) => (text ? [`sign-in ${signIn}: ${text}`] : [])));
  }
  return {
    faults,
    outcomes: new Map(
      [...Map.groupBy(rows, ({ outcome }) => outcome)].map(([outcome, { length }]) => [outcome, length]),
    ),
    refused: ends.filter((end) => end === 'refused').length,
    continued: ends.filter((end) => end === 'continued').length,
    unheard: [...bySignIn.keys()].filter((signIn) => !statuses.has(signIn)).length,
  };
}

function brokenRecord(row: Row, lines: readonly string[]): string | null {
  const written = JSON.parse(row.events) as string[];
  const texts = written.map((line) => line.split('\t')[3]);
  if (Number(row.expires_at) - Number(row.created_at) !== weekMilliseconds)
    return `run ${row.request_id} expires oddly`;
  if (row.outcome === 'success') {
    return String(texts) === String(lines) ? null : `run ${row.request_id} succeeded and has the lines ${texts}`;
  }
  return failures.includes(row.outcome) ? null : `run ${row.request_id} ended with ${row.outcome}`;
}

interface Judgement {
  readonly end: 'let in' | 'continued' | 'refused';
  /** The details that the trail must have. */
  readonly events: readonly { readonly hook_id: string; readonly reason: string; readonly sign_in: string }[];
  readonly fault: string | null;
}

/** What must have come of a sign-in with these records. */
function judge({ hooks, settings }: Proof, rows: readonly Row[], uuids: ReadonlyMap<string, string>): Judgement {
  const events: Judgement['events'][number][] = [];
  let left = rows.length;
  const done = (end: Judgement['end'], fault: string | null = null): Judgement => ({ end, events, fault });
  for (const { id, retries } of hooks) {
    const runs = rows
      .filter((row) => uuids.get(String(row.hook_id)) === id)
      .toSorted((one, other) => one.attempt - other.attempt);
    left -= runs.length;
    const last = runs.at(-1);
    const isWhole = runs.every(
      ({ attempt, outcome }, at) => attempt === at + 1 && (at === runs.length - 1 || outcome !== 'success'),
    );
    if (!last || !isWhole || (last.outcome !== 'success' && runs.length !== retries + 1)) {
      return done(
        'let in',
        `hook ${id} has the attempts ${runs.map(({ attempt, outcome }) => `${attempt} ${outcome}`)}`,
      );
    }
    if (last.outcome === 'success') continue;
    const setting = settings.findLast(({ since }) => since <= Number(last.created_at));
    const denied = setting?.hookFailure === 'deny';
    events.push({ hook_id: id, reason: last.outcome, sign_in: denied ? 'denied' : 'continued' });
    if (denied) return done('refused', left > 0 ? 'hooks ran after it was refused' : null);
  }
  return done(events.length > 0 ? 'continued' : 'let in', left > 0 ? 'runs of a hook that does not fire' : null);
}

function sameEvents(expected: Judgement['events'], rows: readonly EventRow[]): boolean {
  const shown = rows.map(({ detail }) => {
    const { hook_id: hook, reason, sign_in: signIn } = JSON.parse(detail);
    return `${hook} ${reason} ${signIn}`;
  });
  return String(shown) === String(expected.map(({ hook_id, reason, sign_in }) => `${hook_id} ${reason} ${sign_in}`));
}
