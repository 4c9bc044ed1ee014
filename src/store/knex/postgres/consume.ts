/**
 * A batch of refresh tokens on PostgreSQL. If all tokens of an account are current ones in good standing, one statement
 * does everything for it. Otherwise it does nothing, and they are judged in a transaction while their rows are locked.
 */
import type { Knex } from 'knex';
import type { Consumption, ConsumptionOutcome, GrantStanding, Verdict } from '../../consumption.ts';
import type { GrantRecord } from '../../grants.ts';
import { type OfAccount, resultsByAccount } from '../by-account.ts';
import { eventsOf, reuseReason, rotated } from '../consume.ts';
import type { ConsumeAll } from '../engine.ts';
import * as rows from '../rows.ts';
import type { Cell } from '../shape.ts';
import { inTransaction } from '../transact.ts';
import { appendEvents } from './chain.ts';
import { giveBackProofs, keepProofs, noProofs, type Proofs } from './proofs.ts';
import { lockGrants, rotateAll, rotateAllBesideClearing, writeOutcomes } from './sql-consume.ts';
import { run } from './statements.ts';

const readGrant = rows.grants.reader('g_');
const readUser = rows.tokenUsers.reader('u_');

/** The outcomes if every token of the batch could be rotated; null if nothing was done. */
async function rotateEvery(db: Knex, batch: OfAccount<Consumption>): Promise<ConsumptionOutcome[] | null> {
  const given = [
    batch[0].accountId,
    batch.map(({ grantId }) => grantId),
    batch.map(({ appId }) => appId),
    batch.map(({ presentedDigest }) => presentedDigest),
    batch.map(({ scope }) => (scope ? JSON.stringify(scope) : null)),
    batch.map(({ now }) => now),
    batch.map(({ successorDigest }) => successorDigest),
    batch.map(({ successorSalt }) => successorSalt),
    batch.map(({ idleExpiresAt }) => idleExpiresAt),
    batch.map(({ accessToken }) => accessToken.digest),
    batch.map(({ accessToken }) => accessToken.issuedAt),
    batch.map(({ accessToken }) => accessToken.expiresAt),
    batch.length,
  ];
  let found = await run(db, 'rotate-all', rotateAll, given);
  if (found[0]?.['is_clearing'] === true) {
    found = await run(db, 'rotate-all-beside-clearing', rotateAllBesideClearing, given);
  }
  const byDigest = new Map(found.map((row) => [row['token_digest'], row]));
  const outcomes = batch.flatMap(({ accessToken }): ConsumptionOutcome[] => {
    const row = byDigest.get(accessToken.digest);
    if (!row) return [];
    return [{ outcome: 'rotated', grant: readGrant(row), user: readUser(row), accessTokenId: Number(row['token_id']) }];
  });
  return outcomes.length === batch.length ? outcomes : null;
}

/** A consumption with the state found when its turn came. */
interface Judged {
  readonly consumption: Consumption;
  readonly verdict: Verdict;
  /** After the consumption; null when there is no such grant. */
  readonly standing: GrantStanding | null;
}

function judgeOne(standings: Map<number, GrantStanding>, consumption: Consumption, proofs: Proofs): Judged {
  const { grantId } = consumption;
  const before = standings.get(grantId) ?? null;
  const verdict = consumption.judge(before, consumption, proofs.take);
  if (!before) return { consumption, verdict, standing: null };
  let { grant } = before;
  if (verdict === 'rotate') grant = rotated(grant, consumption);
  if (verdict === 'reuse') grant = { ...grant, revokedAt: consumption.now, revokedBecause: reuseReason };
  const standing = { ...before, grant };
  standings.set(grantId, standing);
  return { consumption, verdict, standing };
}

function changedGrants(judged: readonly Judged[]): GrantRecord[] {
  const changed = new Map<number, GrantRecord>();
  for (const { consumption, verdict, standing } of judged) {
    if (standing && (verdict === 'rotate' || verdict === 'reuse')) changed.set(consumption.grantId, standing.grant);
  }
  return [...changed.values()];
}

/** Writes the final state of each grant and the new access tokens; returns the ids of the tokens by their digest. */
async function write(db: Knex, accountId: number, judged: readonly Judged[]): Promise<Map<unknown, number>> {
  const grants = changedGrants(judged);
  const tokens = judged.flatMap(({ consumption: { accessToken, scope }, verdict, standing }): Cell[][] => {
    if (!standing || (verdict !== 'rotate' && verdict !== 'repeat')) return [];
    const { id, appId, userId, scope: granted } = standing.grant;
    const { digest, issuedAt, expiresAt } = accessToken;
    return [[digest, id, appId, userId, JSON.stringify(scope ?? granted), issuedAt, expiresAt]];
  });
  if (grants.length === 0 && tokens.length === 0) return new Map();
  const tokenColumns = 7;
  const added = await run(db, 'write-outcomes', writeOutcomes, [
    accountId,
    grants.map(({ id }) => id),
    grants.map(({ currentDigest }) => currentDigest),
    grants.map(({ previousDigest }) => previousDigest),
    grants.map(({ successorSalt }) => successorSalt),
    grants.map(({ rotatedAt }) => rotatedAt),
    grants.map(({ generation }) => generation),
    grants.map(({ idleExpiresAt }) => idleExpiresAt),
    grants.map(({ revokedAt }) => revokedAt),
    grants.map(({ revokedBecause }) => revokedBecause),
    ...Array.from({ length: tokenColumns }, (_, column) => tokens.map((token) => token[column])),
  ]);
  return new Map(added.map((row) => [row['digest'], Number(row['id'])]));
}

function outcome({ consumption, verdict, standing }: Judged, tokens: Map<unknown, number>): ConsumptionOutcome {
  if (!standing) return { outcome: 'refused', reason: 'unknown' };
  const { grant, user } = standing;
  switch (verdict) {
    case 'rotate':
    case 'repeat': {
      const accessTokenId = tokens.get(consumption.accessToken.digest);
      if (accessTokenId === undefined) throw new Error('an access token was not added');
      return { outcome: verdict === 'rotate' ? 'rotated' : 'repeated', grant, user, accessTokenId };
    }
    case 'reuse':
      return { outcome: 'reused', grantId: grant.id };
    default:
      return { outcome: 'refused', reason: verdict };
  }
}

async function judgeEvery(
  db: Knex,
  batch: OfAccount<Consumption>,
  proofs: Proofs = noProofs,
): Promise<ConsumptionOutcome[]> {
  const [{ accountId }] = batch;
  const found = await run(db, 'lock-grants', lockGrants, [accountId, batch.map(({ grantId }) => grantId)]);
  const standings = new Map<number, GrantStanding>();
  for (const row of found) {
    const grant = readGrant(row);
    standings.set(grant.id, { grant, user: readUser(row), assigned: row['assigned'] === 1 });
  }
  // In the given order: a consumption sees the changes of earlier ones of the same grant.
  const judged = batch.map((consumption) => judgeOne(standings, consumption, proofs));
  await giveBackProofs(db, proofs.untaken());
  const tokens = await write(db, accountId, judged);
  const outcomes = judged.map((one) => outcome(one, tokens));
  await appendEvents(db, eventsOf(batch, outcomes));
  return outcomes;
}

function areDistinct(batch: readonly Consumption[]): boolean {
  return new Set(batch.map(({ grantId }) => grantId)).size === batch.length;
}

async function consumeProven(tx: Knex, batch: OfAccount<Consumption>): Promise<ConsumptionOutcome[]> {
  const proofs = await keepProofs(tx, batch);
  const outcomes = proofs.areAllNew && areDistinct(batch) ? await rotateEvery(tx, batch) : null;
  return outcomes ?? judgeEvery(tx, batch, proofs);
}

async function consumeOfAccount(db: Knex, batch: OfAccount<Consumption>): Promise<ConsumptionOutcome[]> {
  if (batch.some(({ proof }) => proof !== null)) return inTransaction(db, (tx) => consumeProven(tx, batch));
  const outcomes = areDistinct(batch) ? await rotateEvery(db, batch) : null;
  return outcomes ?? inTransaction(db, (tx) => judgeEvery(tx, batch));
}

/** The service gathers refreshes by account, so that nearly always there is one (domain/gathered-writes.ts). */
export const consumeAll: ConsumeAll = (db, batch) => resultsByAccount(db, batch, consumeOfAccount);
