/** The proofs of keys in a batch of refresh tokens (RFC 9449), on PostgreSQL. */

import type { Knex } from 'knex';
import type { AssertionRecord } from '../../clients.ts';
import type { Consumption } from '../../consumption.ts';
import { present } from '../removed.ts';
import { few, run } from './statements.ts';

/**
 * Stores the new proofs of an account ($1) and returns them. They are ordered by key: in this order every statement
 * waits for another process that uses the same one. Proofs of a client that was removed meanwhile are not stored, and
 * do not make others' refreshes fail.
 */
const useProofs = `
  with given as materialized (
    select distinct on (digest) app_id, digest, expires_at
    from unnest($2::bigint[], $3::text[], $4::bigint[]) as t (app_id, digest, expires_at)
    where ${few('t.app_id')}
    order by digest, app_id
  ), proven as materialized (
    select given.* from given join clients c on c.account_id = $1 and c.app_id = given.app_id
    where ${present('app', 'c', 'app_id')}
    order by given.digest, given.app_id
    for key share of c
  )
  insert into client_assertions (account_id, app_id, digest, expires_at, is_proof)
  select $1, proven.*, 1 from proven
  on conflict do nothing returning app_id, digest`;

/** Takes back the proofs of refused tokens of an account ($1). */
const returnProofs = `delete from client_assertions u
  using unnest($2::bigint[], $3::text[]) as t (app_id, digest)
  where u.account_id = $1 and u.app_id = t.app_id and u.digest = t.digest and ${few('t.app_id')}`;

function keyOf({ appId, digest }: Pick<AssertionRecord, 'appId' | 'digest'>): string {
  return `${appId}/${digest}`;
}

/** The proofs of a batch; the new ones are stored before anything is judged. */
export interface Proofs {
  /** None was used before or appears twice in the batch. */
  readonly areAllNew: boolean;
  /** Uses up the proof of a consumption, in the order of the batch; false when it was used before. */
  readonly take: (consumption: Consumption) => boolean;
  /** The stored ones that were not taken. */
  readonly untaken: () => AssertionRecord[];
}

/** For a batch without proofs. */
export const noProofs: Proofs = { areAllNew: true, take: () => true, untaken: () => [] };

/** Stores the new ones among the proofs of a batch, which is of one account. */
export async function keepProofs(tx: Knex, batch: readonly [Consumption, ...Consumption[]]): Promise<Proofs> {
  const proofs = batch.flatMap(({ proof }) => proof ?? []);
  const kept = await run(tx, 'use-proofs', useProofs, [
    batch[0].accountId,
    proofs.map(({ appId }) => appId),
    proofs.map(({ digest }) => digest),
    proofs.map(({ expiresAt }) => expiresAt),
  ]);
  const keys = new Set(kept.map((row) => keyOf({ appId: Number(row['app_id']), digest: String(row['digest']) })));
  const fresh = new Map(proofs.filter((proof) => keys.has(keyOf(proof))).map((proof) => [keyOf(proof), proof]));
  return {
    areAllNew: fresh.size === proofs.length,
    take: ({ proof }) => proof === null || fresh.delete(keyOf(proof)),
    untaken: () => [...fresh.values()],
  };
}

/** Deletes these proofs of one account, which the batch itself used up. */
export async function giveBackProofs(tx: Knex, proofs: readonly AssertionRecord[]): Promise<void> {
  const [first] = proofs;
  if (!first) return;
  await run(tx, 'return-proofs', returnProofs, [
    first.accountId,
    proofs.map(({ appId }) => appId),
    proofs.map(({ digest }) => digest),
  ]);
}
