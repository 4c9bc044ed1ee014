import type { Knex } from 'knex';
import type { KeptAnswerRecord, KeptAnswerStore } from '../kept-answers.ts';
import type { Milliseconds } from '../time.ts';
import { flag, shape } from './shape.ts';

const answers = shape<KeptAnswerRecord>('kept_answers', null, {
  accountId: 'account_id',
  digest: 'digest',
  caller: 'caller',
  requestDigest: 'request_digest',
  claim: 'claim',
  claimedUntil: 'claimed_until',
  isDone: flag('is_done'),
  sealedAnswer: 'sealed_answer',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
});

export function keptAnswerVerbs(db: Knex): KeptAnswerStore {
  const { table, read, write } = answers;
  const claimed = ({ accountId, digest, claim }: Pick<KeptAnswerRecord, 'accountId' | 'digest' | 'claim'>) =>
    db(table).where({ account_id: accountId, digest, claim });
  const isFree = (now: Milliseconds) => (one: Knex.QueryBuilder) =>
    one
      .where(`${table}.expires_at`, '<=', now)
      .orWhere((late) => late.where(`${table}.is_done`, 0).where(`${table}.claimed_until`, '<=', now));
  return {
    find: async (accountId, digest, now) => {
      const row = await db(table).where({ account_id: accountId, digest }).whereNot(isFree(now)).first();
      return row ? read(row) : null;
    },
    // One statement: of two that claim at once, the second one waits and sees the first one's row.
    claim: async (record, now) => {
      const claims = await db(table)
        .insert(write(record))
        .onConflict(['account_id', 'digest'])
        .merge()
        .where(isFree(now))
        .returning('claim');
      return claims.length === 1;
    },
    markDone: async (claim) => (await claimed(claim).update({ is_done: 1 })) === 1,
    keep: async (claim, sealedAnswer) => {
      await claimed(claim).update({ is_done: 1, sealed_answer: sealedAnswer });
    },
    release: async (claim) => {
      await claimed(claim).where('is_done', 0).delete();
    },
    trim: async (accountId, caller, most) => {
      const own = () => db(table).where({ account_id: accountId, caller });
      const newest = own().orderBy('created_at', 'desc').offset(most).limit(1).select('created_at');
      await own().where('created_at', '<=', newest).delete();
    },
  };
}
