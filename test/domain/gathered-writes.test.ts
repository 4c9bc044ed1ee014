/** Refreshes of one account do not wait for what is locked in another. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { gatherWrites } from '../../src/domain/gathered-writes.ts';
import { newCast, newGrant, present } from '../store/samples.ts';
import { openTestStore } from '../support/stores.ts';

test('on PostgreSQL a locked row of one account blocks no refresh of another', async () => {
  const { store, url, dispose } = await openTestStore('postgres');
  const { grants } = gatherWrites(store);
  const [held, free] = [await newGrant(store, await newCast(store)), await newGrant(store, await newCast(store))];
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  try {
    await other.query('begin');
    await other.query('select 1 from grants where id = $1 for update', [held.id]);
    let isOver = false;
    const waiting = grants.consume(present(held)).finally(() => {
      isOver = true;
    });
    assert.equal((await grants.consume(present(free))).outcome, 'rotated');
    assert.equal(isOver, false);
    await other.query('commit');
    assert.equal((await waiting).outcome, 'rotated');
  } finally {
    await other.end();
    await dispose();
  }
});
