import type { Knex } from 'knex';
import type { ChangeNoticeRecord, ChangeNoticeStore } from '../change-notices.ts';
import { claimDue } from './claim-due.ts';
import { type DbRow, json, shape } from './shape.ts';

const notices = shape<ChangeNoticeRecord>('change_notices', 'id', {
  accountId: 'account_id',
  id: 'id',
  address: 'address',
  standing: 'standing',
  changes: json('changes'),
  changedAt: 'changed_at',
  attempts: 'attempts',
  dueAt: 'due_at',
  allowedAt: 'allowed_at',
});

export function changeNoticeVerbs(db: Knex): ChangeNoticeStore {
  const one = (accountId: number, id: number) => db('change_notices').where({ account_id: accountId, id });
  const ofMailbox = (accountId: number, address: string) =>
    db('change_notices').where('account_id', accountId).whereRaw('lower(address) = lower(?)', [address]);
  const pace = (accountId: number, digest: string) => db('notice_paces').where({ account_id: accountId, digest });
  return {
    add: async (notice) => {
      const row = notices.write(notice);
      const { accountId, address, standing } = notice;
      const same = ofMailbox(accountId, address).where({ standing, changes: row['changes'] });
      const merged = await same.update({ changed_at: notice.changedAt, attempts: 0 });
      if (merged === 0) await db('change_notices').insert(row);
    },
    claim: async (now, until, limit, except = []) => {
      const claimed = await claimDue(db, 'change_notices', { now, until, limit, except });
      return claimed.map(notices.read);
    },
    postpone: async (accountId, id, dueAt, allowedAt) => {
      await one(accountId, id).update({ due_at: dueAt, ...(allowedAt !== undefined && { allowed_at: allowedAt }) });
    },
    remove: async (accountId, id, changedAt) => {
      const removed = await one(accountId, id).where({ changed_at: changedAt }).delete();
      return removed === 1;
    },
    countUnproven: async (accountId, most) => {
      const unproven = db('change_notices').where({ account_id: accountId, standing: 'unproven' });
      const [counted] = await db.from(unproven.select(db.raw('1')).limit(most).as('unproven')).count({ total: '*' });
      return Number(counted?.['total']);
    },
    findHeld: async (accountId, address, now) => {
      const held = ofMailbox(accountId, address).where('allowed_at', '>', now);
      // One that is claimed is being sent: a node whose clock is behind could take it for held.
      held.whereRaw('due_at = allowed_at');
      return (await held.select(notices.columns)).map(notices.read);
    },
    merge: async (accountId, ids, made) => {
      const merged = () => db('change_notices').where('account_id', accountId).whereIn('id', ids);
      // A change that was added meanwhile is in what this reads; one that comes later finds them gone and adds its own.
      const rows: DbRow[] = await merged().update({ attempts: 0 }).returning(notices.columns);
      if (rows.length === 0) return;
      await merged().delete();
      // PostgreSQL returns them in any order.
      const read = rows.map(notices.read).toSorted((one, other) => one.id - other.id);
      await db('change_notices').insert(notices.write(made(read)));
    },
    lockPace: async (accountId, digest) => {
      const free = { account_id: accountId, digest, expires_at: 0 };
      const kept = { expires_at: db.ref('notice_paces.expires_at') };
      const row = db('notice_paces').insert(free).onConflict(['account_id', 'digest']).merge(kept);
      const [{ expires_at: freeAt }] = await row.returning('expires_at');
      return Number(freeAt);
    },
    findPace: async (accountId, digest) => {
      const row: { expires_at: unknown } | undefined = await pace(accountId, digest).first('expires_at');
      return Number(row?.expires_at ?? 0);
    },
    setPace: async (accountId, digest, freeAt) => {
      await pace(accountId, digest).update({ expires_at: freeAt });
    },
  };
}
