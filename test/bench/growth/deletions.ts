/** The deletion of what most hangs on, once each, until nothing of it is left. */

import { setTimeout as delay } from 'node:timers/promises';
import { type Beside, type Noticed, worstOf } from './beside.ts';
import { managed } from './caller.ts';
import type { Served } from './installation.ts';

export interface Deletion {
  readonly name: string;
  /** Until the answer. */
  readonly milliseconds: number;
  /** From the answer until its last row was gone. */
  readonly clearing: number;
  readonly failure: string | null;
  /** Until then, and a second longer. */
  readonly noticed: Noticed;
}

interface Planned {
  readonly name: string;
  readonly path: string;
  /** Where its own row is, which goes last. */
  readonly table: 'users' | 'clients' | 'roles' | 'custom_attributes';
  readonly id: number;
}

const lookMilliseconds = 250;
/** Enough for the app with most grants on the slowest machine. */
const patienceMilliseconds = 900_000;
/** Others are watched for so long after it: what it leaves to a checkpoint is part of it. */
const afterwardsMilliseconds = 1_000;

function planned({ grown }: Served): Planned[] {
  const { attribute, wideUser, wideRole, largeRole, largeApp, sizes } = grown;
  const [users, apps, members, grants] = [
    sizes.users,
    sizes.apps,
    sizes.membersOfLargeRole,
    sizes.grantsOfLargeApp,
  ].map((count) => count.toLocaleString('en'));
  return [
    {
      name: `an attribute with ${users} values`,
      path: `/users/custom_attributes/${attribute}`,
      table: 'custom_attributes',
      id: attribute,
    },
    { name: `a user of ${apps} apps`, path: `/users/${wideUser}`, table: 'users', id: wideUser },
    { name: `a role linked to ${apps} apps`, path: `/roles/${wideRole}`, table: 'roles', id: wideRole },
    { name: `a role of ${members} users`, path: `/roles/${largeRole}`, table: 'roles', id: largeRole },
    { name: `an app with ${grants} grants`, path: `/apps/${largeApp}`, table: 'clients', id: largeApp },
  ];
}

async function untilGone(served: Served, { table, id }: Planned): Promise<void> {
  const deadline = performance.now() + patienceMilliseconds;
  const key = table === 'clients' ? 'app_id' : 'id';
  const statement = `select 1 from ${table} where account_id = ${served.grown.accountId} and ${key} = ${id}`;
  while ((await served.rowsOf(statement)) > 0) {
    if (performance.now() > deadline) throw new Error(`${table} ${id} is still there`);
    await delay(lookMilliseconds);
  }
}

async function deleteOne(served: Served, beside: Beside, one: Planned): Promise<Deletion> {
  await beside.take();
  const startedAt = performance.now();
  const result = { name: one.name, milliseconds: Number.NaN, clearing: Number.NaN, failure: null };
  try {
    const { path, sent } = managed(served, one.path);
    const answer = await served.send('DELETE', path, sent);
    await untilGone(served, one);
    const clearing = performance.now() - answer.answeredAt;
    await delay(afterwardsMilliseconds);
    const noticed = await beside.take();
    return { ...result, milliseconds: answer.answeredAt - startedAt, clearing, noticed };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { ...result, failure, noticed: await beside.take() };
  }
}

export async function measureDeletions(
  served: Served,
  beside: Beside,
  only: RegExp,
  log: (line: string) => void,
): Promise<Deletion[]> {
  const deletions: Deletion[] = [];
  for (const one of planned(served).filter(({ name }) => only.test(`delete ${name}`))) {
    const deletion = await deleteOne(served, beside, one);
    deletions.push(deletion);
    const { refresh, healthz } = worstOf(deletion.noticed);
    const times = `${deletion.milliseconds.toFixed(0)} ms, cleared after ${deletion.clearing.toFixed(0)} ms`;
    const others = `refresh p99 ${refresh.toFixed(0)}, /healthz ${healthz.toFixed(0)}`;
    log(`delete ${one.name}: ${deletion.failure ?? `${times}, ${others}`}`);
  }
  return deletions;
}
