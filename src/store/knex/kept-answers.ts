import type { Knex } from 'knex';
import type { KeptAnswerRecord, KeptAnswerStore } from '../kept-answers.ts';
import { flag, shape } from './shape.ts';
import { separately } from './transact.ts';

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
  return {
    claim: (record, now) =>
      separately(db, async (tx) => {
        // One statement: of two that claim at once, the second one waits and sees the first one's row.
        const [own] = await tx(table)
          .insert(write(record))
          .onConflict(['account_id', 'digest'])
          .merge()
          .where((free) =>
            free
              .where(`${table}.expires_at`, '<=', now)
              .orWhere((late) => late.where(`${table}.is_done`, 0).where(`${table}.claimed_until`, '<=', now)),
          )
          .returning('claim');
        if (own) return null;
        const row = await tx(table).where({ account_id: record.accountId, digest: record.digest }).first();
        // Given back meanwhile: whoever has it may have been refused, and the next attempt finds out.
        return row ? read(row) : record;
      }),
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
