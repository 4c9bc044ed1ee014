/** What refusals cost where bcrypt hashes were imported: rounds are counted, not measured. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createImportedBcrypt } from '../../src/adapters/bcrypt.ts';

const hour = 3_600_000;
const hashOf = (cost: string) => `$2b$${cost}$${'x'.repeat(53)}`;

function subject() {
  let now = 0;
  let rounds = 0;
  const bcrypt = createImportedBcrypt({
    clock: () => now,
    verify: async (password, hash) => {
      rounds += 2 ** Number(hash.slice(4, 6));
      return password === 'right';
    },
  });
  return {
    wait: (hours: number) => {
      now += hours * hour;
    },
    /** Rounds for a wrong password against a hash of this cost; null: no bcrypt hash is stored, or no such user. */
    async refusal(accountId: number, cost: string | null): Promise<number> {
      rounds = 0;
      if (cost === null) await bcrypt.spend(accountId, 'wrong');
      else assert.equal(await bcrypt.matches(accountId, 'wrong', hashOf(cost)), false);
      return rounds;
    },
  };
}

test('a costly hash slows down refusals in its own account only', async () => {
  const { refusal } = subject();
  assert.equal(await refusal(1, '12'), 4096);
  assert.deepEqual([await refusal(1, null), await refusal(2, null), await refusal(2, '05')], [4096, 0, 32]);
});

test('every refusal of an account costs the same, whatever the hash', async () => {
  const { refusal } = subject();
  await refusal(1, '12');
  for (const cost of [null, '04', '05', '11', '12']) assert.equal(await refusal(1, cost), 4096, String(cost));
});

test('a cost that an account has not met for a day is forgotten, even if it meets lower ones', async () => {
  const { refusal, wait } = subject();
  await refusal(1, '12');
  wait(23);
  await refusal(1, '06');
  assert.equal(await refusal(1, null), 4096);
  wait(2);
  assert.deepEqual([await refusal(1, null), await refusal(1, '05')], [64, 64]);
  wait(25);
  assert.equal(await refusal(1, null), 0);
});
