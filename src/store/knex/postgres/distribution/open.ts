import type pg from 'pg';
import { connectToLeader } from '../leader.ts';
import { apply, type Confirmed, type DistributionStatus, readPlan, readStatus } from './carry-out.ts';
import type { DistributionPlan } from './plan.ts';

/** A database that is, or is to be, distributed by account. */
export interface Distribution {
  plan(): Promise<DistributionPlan>;
  status(): Promise<DistributionStatus>;
  apply(confirmed: Confirmed, report: (sql: string) => void): Promise<string[]>;
}

/** Runs `work` on a connection of its own, without limits of time; the first two functions only read. */
export async function withDistribution<Result>(
  url: string,
  work: (distribution: Distribution) => Promise<Result>,
): Promise<Result> {
  const client = await connectToLeader(url, 'gatehouse db distribute');
  const reading = async <Read>(read: (client: pg.Client) => Promise<Read>): Promise<Read> => {
    await client.query('begin transaction read only');
    try {
      return await read(client);
    } finally {
      await client.query('rollback');
    }
  };
  try {
    return await work({
      plan: () => reading(readPlan),
      status: () => reading(readStatus),
      apply: (confirmed, report) => apply(client, confirmed, report),
    });
  } finally {
    await client.end();
  }
}
