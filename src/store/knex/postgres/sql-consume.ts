/**
 * The statements of `consume.ts`. A batch of one account ($1) is passed as arrays, one per member, so that the text is
 * constant. Each table is asked for this account: a distributed database then sends the statement to its node.
 */

import { userStatuses } from '../../users.ts';
import { linkedAtAll, stillAssigned } from '../assigned.ts';
import { atFirst } from '../at-account.ts';
import { present } from '../removed.ts';
import * as rows from '../rows.ts';
import { grantColumns as effectiveColumns, unlinkedAt } from '../unlinked.ts';
import { few } from './statements.ts';

const grantColumns = rows.grants.select('g', 'g_').join(', ');
const userColumns = rows.tokenUsers.select('u', 'u_').join(', ');

/** The columns returned about a rotated grant and its user. */
const answered = [
  ...rows.grants.columns.map((name) => `g_${name}`),
  ...rows.tokenUsers.columns.map((name) => `u_${name}`),
];

/** SQL that is true when the account has pending removals; evaluated once per batch. */
const isClearing = 'exists (select 1 from removals where account_id = $1)';

/**
 * Rotates every token of the batch, or none: it returns as many rows with a `token_id` as it was given, or none. A
 * grant may occur only once. Parameters 2–12: the batch; 13: its size. Rows are locked in key order, as in every
 * statement. The steps are separate, and the comparison of apps is hidden, so that the planner reads grants and users
 * by their keys even without statistics. `mayGoOn`: the condition on a grant `c` and its user `u`.
 */
const rotateWhere = (mayGoOn: string) => `
  with given as materialized (
    select * from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[],
      $9::bigint[], $10::text[], $11::bigint[], $12::bigint[])
      as t (grant_id, app_id, presented_digest, scope, now, successor_digest, successor_salt,
        idle_expires_at, token_digest, token_issued_at, token_expires_at)
    where ${few('t.grant_id')}
  ), current as materialized (
    select given.*, g.account_id, g.user_id, g.server_id, g.scope as granted_scope
    from given join grants g on g.account_id = $1 and g.id = given.grant_id
    where (g.app_id = given.app_id) is true and g.revoked_at is null
      and g.idle_expires_at > given.now and g.absolute_expires_at > given.now
      and g.current_digest = given.presented_digest
      and (given.scope is null or given.scope::jsonb <@ g.scope::jsonb)
    order by g.id
    for update of g
  ), ready as materialized (
    select c.*, ${userColumns}
    from current c join users u on u.account_id = $1 and u.id = c.user_id
    where u.status = ${userStatuses.active} and ${mayGoOn}
  ), rotated as (
    update grants g set current_digest = r.successor_digest, previous_digest = r.presented_digest,
      successor_salt = r.successor_salt, rotated_at = r.now, generation = g.generation + 1,
      idle_expires_at = r.idle_expires_at
    from ready r
    where g.account_id = $1 and g.id = r.grant_id and (select count(*) from ready) = $13
    returning r.*, ${grantColumns}
  ), tokens as (
    insert into access_tokens (account_id, digest, grant_id, app_id, user_id, scope, issued_at, expires_at)
    select $1, token_digest, grant_id, app_id, user_id, coalesce(scope, granted_scope), token_issued_at,
      token_expires_at from rotated
    returning id, digest
  )
  select ${answered.join(', ')}, token_digest, tokens.id as token_id, is_clearing
  from (select ${isClearing} as is_clearing) asked
  left join (rotated join tokens on tokens.digest = rotated.token_digest) on true`;

/** For an account without pending removals, which `is_clearing` reports; otherwise it rotates none. */
export const rotateAll = rotateWhere(`not (select ${isClearing}) and ${atFirst(linkedAtAll('c'), 'c')}`);

/** For an account with pending removals. Checking them makes a refresh a twentieth more expensive. */
export const rotateAllBesideClearing = rotateWhere(
  `${present('user', 'u')} and ${atFirst(stillAssigned('c', { grant: 'grant_id' }), 'c')}
    and ${atFirst(unlinkedAt('c', 'grant_id'), 'c')} is null`,
);

/** Locks the grants with the ids $2, and reads everything that decides about them. */
export const lockGrants = `
  with locked as materialized (
    select g.* from (select distinct * from unnest($2::bigint[]) as t (id) where ${few('t.id')}) wanted
    join grants g on g.account_id = $1 and g.id = wanted.id
    order by g.id
    for update of g
  )
  select ${atFirst(effectiveColumns('g', 'g_'), 'g')}, ${userColumns},
    case when ${atFirst(stillAssigned('g'), 'g')} then 1 else 0 end as assigned
  from locked g join users u on u.account_id = $1 and u.id = g.user_id
  where ${present('user', 'u')}`;

/** Writes the outcomes of locked grants ($2–$10) and adds access tokens ($11–$17); returns the tokens. */
export const writeOutcomes = `
  with changed as (
    update grants g set current_digest = n.current_digest, previous_digest = n.previous_digest,
      successor_salt = n.successor_salt, rotated_at = n.rotated_at, generation = n.generation,
      idle_expires_at = n.idle_expires_at, revoked_at = n.revoked_at, revoked_because = n.revoked_because
    from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
      $8::bigint[], $9::bigint[], $10::text[])
      as n (id, current_digest, previous_digest, successor_salt, rotated_at, generation,
        idle_expires_at, revoked_at, revoked_because)
    where g.account_id = $1 and g.id = n.id and ${few('n.id')}
  )
  insert into access_tokens (account_id, digest, grant_id, app_id, user_id, scope, issued_at, expires_at)
  select $1, t.* from unnest($11::text[], $12::bigint[], $13::bigint[], $14::bigint[], $15::text[], $16::bigint[],
    $17::bigint[]) as t
  returning id, digest`;
