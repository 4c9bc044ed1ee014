import type { Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import type { Followed, Follower, PolicyRecord, PolicyStore } from '../policies.ts';
import { fixedRead, fixedSelect, readRow, readRows } from './fixed-reads.ts';
import { lockPresent } from './hold.ts';
import { listPage } from './list.ts';
import type { Listing } from './list-filters.ts';
import { filled } from './list-index.ts';
import { homes, present, type Removable } from './removed.ts';
import { type DbRow, flag, shape } from './shape.ts';
import { separately, together } from './transact.ts';

const policies = shape<PolicyRecord>('policies', 'id', {
  accountId: 'account_id',
  id: 'id',
  name: 'name',
  isDefault: flag('is_default'),
  minimumPasswordLength: 'minimum_password_length',
  maximumInvalidLoginAttempts: 'maximum_invalid_login_attempts',
  lockEffectiveMinutes: 'lock_effective_minutes',
  sessionTimeoutMinutes: 'session_timeout_minutes',
  sessionAbsoluteMinutes: 'session_absolute_minutes',
  passwordExpirationDays: 'password_expiration_days',
  otpRequired: flag('otp_required'),
  createdAt: 'created_at',
  updatedAt: 'updated_at',
});

const listing: Listing<PolicyRecord> = {
  table: 'policies',
  id: 'id',
  columns: {
    id: filled('number', 'id'),
    name: filled('text', 'name'),
    created_at: filled('number', 'created_at'),
    updated_at: filled('number', 'updated_at'),
  },
  read: policies.read,
};

const followed = `
  (select u.policy_id from users u where u.account_id = ? and u.id = ? and ${present('user', 'u')}) as own,
  (select r.policy_id from role_users ru join roles r on r.account_id = ru.account_id and r.id = ru.role_id
    where ru.account_id = ? and ru.user_id = ? and r.policy_id is not null and ${present('role', 'r')}
    order by ru.assigned_at, r.id limit 1) as of_role`;
/** Always returns one row: the time must not reveal whether the user exists. */
const findFollowed = fixedRead('policies-followed', `select ${followed}`);

const ofAccount = fixedSelect(policies, 'policies-of-account', 'account_id = ? order by id');
const allAndFollowed = fixedRead(
  'policies-all-and-followed',
  `select ${policies.columns.join(', ')}, ${followed} from policies where account_id = ? order by id`,
);

function readFollowed(row: DbRow | undefined): Followed {
  const idOf = (cell: unknown) => (cell === null || cell === undefined ? null : Number(cell));
  return { own: idOf(row?.['own']), ofRole: idOf(row?.['of_role']) };
}

function placeOf(follower: Follower): readonly [kind: Removable, id: number] {
  if ('userId' in follower) return ['user', follower.userId];
  return 'roleId' in follower ? ['role', follower.roleId] : ['app', follower.appId];
}

export function policyVerbs(db: Knex): PolicyStore {
  const one = (accountId: number, id: number) => db('policies').where({ account_id: accountId, id });
  return {
    create: (policy) =>
      separately(db, async (tx) => {
        const [row] = await tx('policies').insert(policies.write(policy)).returning('*');
        return policies.read(row);
      }),
    find: async (accountId, id) => {
      const row = await one(accountId, id).first();
      return row ? policies.read(row) : null;
    },
    list: async (accountId) => (await readRows(db, ofAccount, accountId)).map(policies.read),
    update: (accountId, id, changes) =>
      separately(db, async (tx) => {
        const policy = tx('policies').where({ account_id: accountId, id });
        const [row] = await policy.update(policies.write(changes)).returning('*');
        return row ? policies.read(row) : null;
      }),
    remove: async (accountId, id) => {
      try {
        return await together(db, async (tx) => {
          const policy = tx('policies').where({ account_id: accountId, id });
          return (await policy.delete()) === 1;
        });
      } catch (error) {
        // The foreign keys of its users, roles and apps.
        if (error instanceof Failure && error.code === 'not_found') {
          const message = 'A policy that a user, a role or an app follows cannot be deleted';
          throw new Failure('conflict', { name: 'policy', message });
        }
        throw error;
      }
    },
    assign: (accountId, follower, policyId) =>
      separately(db, async (tx) => {
        const [kind, id] = placeOf(follower);
        const { table, id: key } = homes[kind];
        if (!(await lockPresent(tx, accountId, kind, id))) return false;
        const found = tx(table)
          .where({ account_id: accountId, [key]: id })
          .whereRaw(present(kind, table, key));
        return (await found.update({ policy_id: policyId })) === 1;
      }),
    followedBy: async (accountId, userId) =>
      readFollowed(await readRow(db, findFollowed, accountId, userId, accountId, userId)),
    listFollowed: async (accountId, userId) => {
      const rows = await readRows(db, allAndFollowed, accountId, userId, accountId, userId, accountId);
      return { ...readFollowed(rows[0]), policies: rows.map(policies.read) };
    },
    page: (accountId, query) => listPage(db, listing, accountId, query),
  };
}
