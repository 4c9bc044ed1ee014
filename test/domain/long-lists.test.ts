/** How many lists of all users are under way at a time. */

import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Account } from '../../src/domain/accounts/account.ts';
import { actAs } from '../../src/domain/audit/context.ts';
import { takeListTurn } from '../../src/domain/long-lists.ts';
import { listUsersFrom } from '../../src/domain/users/users-in-order.ts';
import type { Services } from '../../src/services.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { execute } from '../support/rows.ts';
import { until } from '../support/until.ts';

/** One more than a part has. */
const userCount = 201;

/** Turns of a separate service, by account and API key. */
function turnsOn(onLost: () => void) {
  const services = { store: {} as Services['store'] };
  return (accountId: number, key: number) =>
    actAs({ actor: { type: 'API', id: key }, source: null, requestId: null }, () =>
      takeListTurn(services, { id: accountId } as Account, ({ code }) => {
        assert.equal(code, 'unavailable');
        onLost();
      }),
    );
}

describe('lists of all users', () => {
  let app: TestApp;
  before(async () => {
    app = await openTestApp('sqlite');
    await execute(
      app.url,
      `insert into users (account_id, username, username_key, status, invalid_login_attempts, created_at, updated_at)
       with recursive n (n) as (select 1 union all select n + 1 from n where n < ${userCount})
       select ${app.account.id}, 'u' || n, 'u' || n, 1, 0, n, 0 from n`,
    );
  });
  after(() => app.dispose());

  /** A list requested by the API key with this number, which holds its turn until released. */
  function begin(key: number, limit?: number) {
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const { parts } = listUsersFrom(app.services, app.account, { limit });
    let count = 0;
    const read = async () => {
      for await (const { length } of parts) {
        count += length;
        begun.resolve();
        await goOn.promise;
      }
      return count;
    };
    const actor = { type: 'API', id: key } as const;
    const over = actAs({ actor, source: '127.0.0.1', requestId: null }, read).finally(() => begun.resolve());
    over.catch(() => {});
    return { begun: begun.promise, goOn: goOn.resolve, over };
  }

  /**
   * Settles when so many lists wait for a turn. A list reads its first part, on a thread of its own, before it asks for
   * a turn: one that has not begun may not have asked yet, and whoever asks first gets what becomes free meanwhile.
   */
  function countWaits(t: TestContext) {
    const timers = t.mock.method(globalThis, 'setTimeout').mock;
    // Reads have turns of their own.
    const isOfQueue = ({ stack = '' }: Error) =>
      ['/fair-queue.ts', '/long-lists.ts'].every((file) => stack.includes(file));
    return (count: number) => until(() => timers.calls.filter(({ stack }) => isOfQueue(stack)).length === count);
  }

  /** Whether it has its turn once a later list of one part went through. */
  const hasBegun = async ({ begun }: { begun: Promise<void> }) => {
    const short = begin(99, 1);
    short.goOn();
    await short.over;
    await new Promise((resolve) => setImmediate(resolve));
    return Promise.race([begun.then(() => true), Promise.resolve().then(() => Promise.resolve(false))]);
  };

  it('one key has two turns and waits for a third; an account has four', async (t) => {
    const waiting = countWaits(t);
    const [first, second] = [begin(1), begin(1)];
    await Promise.all([first.begun, second.begun]);
    const third = begin(1);
    await waiting(1);
    assert.equal(await hasBegun(third), false);
    const ofAnother = [begin(2), begin(2)];
    await Promise.all(ofAnother.map(({ begun }) => begun));
    const ofThird = begin(3);
    await waiting(2);
    assert.equal(await hasBegun(ofThird), false);
    first.goOn();
    await ofThird.begun;
    assert.equal(await hasBegun(third), false);
    const all = [first, second, third, ...ofAnother, ofThird];
    for (const one of all) one.goOn();
    assert.deepEqual(
      await Promise.all(all.map(({ over }) => over)),
      all.map(() => userCount),
    );
  });

  it('a list in one part takes no turn', async () => {
    const long = [1, 1, 2, 2].map((key) => begin(key));
    await Promise.all(long.map(({ begun }) => begun));
    for (const limit of [1, userCount - 1]) {
      const short = begin(1, limit);
      short.goOn();
      assert.equal(await short.over, limit);
    }
    for (const one of long) one.goOn();
    await Promise.all(long.map(({ over }) => over));
  });

  it('a turn ends after a minute if another account waits, and not earlier', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let lost = 0;
    const take = turnsOn(() => {
      lost += 1;
    });
    const ends = await Promise.all([1, 2, 3, 4].flatMap((id) => [1, 1, 2, 2].map((key) => take(id, key))));
    t.mock.timers.tick(50_000);
    const ofTheLast = take(4, 3);
    t.mock.timers.tick(11_000);
    assert.equal(lost, 0, 'a key that has all its turns waits for one of its own');
    const waiting = take(5, 1);
    t.mock.timers.tick(1_000);
    assert.equal(lost, 1, 'one turn for each waiting request');
    const endWaiting = await waiting;
    t.mock.timers.tick(10_000);
    assert.equal(lost, 1);
    for (const end of [...ends, endWaiting]) end();
    (await ofTheLast)();
    const again = await Promise.all([1, 2, 3, 4].flatMap((id) => [1, 1, 2, 2].map((key) => take(id, key))));
    const late = take(5, 1);
    t.mock.timers.tick(29_000);
    assert.equal(lost, 1, 'a turn cannot be taken away within its minute');
    for (const end of again) end();
    (await late)();
  });

  it('if too many wait the next is refused, and waiting ones are served', async () => {
    const take = turnsOn(() => assert.fail('no turn is lost'));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 257 }, async (_, key) => {
        const end = await take(1, key);
        end();
      }),
    );
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    assert.deepEqual(
      refused.map(({ code, detail }) => [code, detail.retryAfterSeconds]),
      [['unavailable', 10]],
    );
  });
});
