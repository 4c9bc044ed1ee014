/** Background work: which item gets a slot, and which waits for which. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorker } from '../../src/domain/worker.ts';

interface Item {
  readonly accountId: number;
  readonly name: string;
  /** Whose turn it is within the account. */
  readonly client?: string;
}

const settled = () => new Promise(setImmediate);

/** A worker on a list in order of time; an item ends when the test says so. */
function subject(due: Item[], atOnce = 8, turnOf?: (item: Item) => string) {
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const failures: unknown[] = [];
  const worker = createWorker<Item>(
    { clock: { now: () => 0 }, log: { error: (_: string, fields: unknown) => failures.push(fields) } as never },
    {
      name: 'test work',
      atOnce,
      ...(turnOf && { turnOf }),
      claim: async (_, { accounts, underWay, served }) => {
        const isOf = (items: readonly Item[], { client }: Item) => items.some((one) => turnOf && one.client === client);
        const index = due.findIndex(
          (item) => !accounts.includes(item.accountId) && !isOf(underWay, item) && !isOf(served, item),
        );
        return index < 0 ? [] : due.splice(index, 1);
      },
      deliver: ({ name }) => {
        begun.push(name);
        const end = Promise.withResolvers<void>();
        ends.set(name, end);
        return end.promise;
      },
    },
  );
  return {
    ...worker,
    begun,
    failures,
    async end(name: string, error?: Error): Promise<void> {
      if (error) ends.get(name)?.reject(error);
      else ends.get(name)?.resolve();
      ends.delete(name);
      await settled();
    },
  };
}

const itemsOf = (accountId: number, count: number): Item[] =>
  Array.from({ length: count }, (_, number) => ({ accountId, name: `${accountId}/${number}` }));

test('an account whose items hang has two slots, and others overtake it', async () => {
  const due = itemsOf(1, 80);
  const { wake, begun, end } = subject(due);
  wake();
  await settled();
  assert.deepEqual(begun, ['1/0', '1/1']);
  due.push(...itemsOf(2, 3));
  wake();
  await settled();
  assert.deepEqual(begun, ['1/0', '1/1', '2/0', '2/1']);
  await end('2/0');
  assert.deepEqual(begun.slice(4), ['2/2']);
  await end('1/1');
  assert.deepEqual(begun.slice(5), ['1/2']);
});

test('accounts take turns, even if one has many items that are due first', async () => {
  const { wake, begun, end } = subject([...itemsOf(1, 10), ...itemsOf(2, 10), ...itemsOf(3, 1)], 1);
  wake();
  await settled();
  for (let number = 0; number < 6; number += 1) await end(begun.at(-1) ?? '');
  assert.deepEqual(begun, ['1/0', '2/0', '3/0', '1/1', '2/1', '1/2', '2/2']);
});

const itemsOfClient = (accountId: number, client: string, count: number): Item[] =>
  Array.from({ length: count }, (_, number) => ({ accountId, client, name: `${client}${number}` }));

test('clients of an account take turns, one item of each at a time, and other accounts wait for no more than one', async () => {
  const due = [...itemsOfClient(1, 'a', 9), ...itemsOfClient(1, 'b', 2), ...itemsOfClient(1, 'c', 2)];
  const { wake, begun, end } = subject(due, 8, ({ client }) => client ?? '');
  wake();
  await settled();
  assert.deepEqual(begun, ['a0', 'b0']);
  await end('b0');
  await end('c0');
  await end('b1');
  await end('c1');
  assert.deepEqual(begun, ['a0', 'b0', 'c0', 'b1', 'c1'], 'a hanging item is passed over and keeps its one place');
  due.push(...itemsOfClient(2, 'x', 3), ...itemsOfClient(1, 'd', 1));
  await end('a0');
  assert.deepEqual(begun.slice(5), ['a1', 'x0', 'd0']);
});

test("an account whose clients all had a turn does not wait behind another's many clients", async () => {
  const others = Array.from({ length: 5 }, (_, number) => itemsOfClient(2, `other${number}-`, 1)).flat();
  const { wake, begun, end } = subject([...itemsOfClient(1, 'a', 3), ...others], 1, ({ client }) => client ?? '');
  wake();
  await settled();
  for (let number = 0; number < 5; number += 1) await end(begun.at(-1) ?? '');
  const rounds = [begun.slice(0, 2), begun.slice(2, 4), begun.slice(4)];
  assert.deepEqual(
    rounds.map((round) => round.toSorted()),
    [0, 1, 2].map((number) => [`a${number}`, `other${number}-0`]),
  );
});

test('a run settles when its last item ended, even with a failed one; then the next run starts', async () => {
  const due = itemsOf(1, 3);
  const { run, begun, end, failures } = subject(due);
  let isOver = false;
  const over = run().then(() => {
    isOver = true;
  });
  await settled();
  await end('1/0', new Error('not heard'));
  await end('1/1');
  assert.deepEqual([begun, isOver, failures.length], [['1/0', '1/1', '1/2'], false, 1]);
  await end('1/2');
  await over;
  due.push({ accountId: 1, name: 'later' });
  const again = run();
  await settled();
  await end('later');
  await again;
  assert.equal(begun.at(-1), 'later');
});

test('a failing store ends the run, and the next run continues', async () => {
  let isDown = true;
  const lines: string[] = [];
  const delivered: number[] = [];
  const worker = createWorker<Item>(
    { clock: { now: () => 0 }, log: { error: (line: string) => lines.push(line) } as never },
    {
      name: 'test work',
      atOnce: 2,
      claim: async () => {
        if (isDown) throw new Error('no connection');
        return delivered.length === 0 ? itemsOf(7, 1) : [];
      },
      deliver: async ({ accountId }) => void delivered.push(accountId),
    },
  );
  await worker.run();
  assert.deepEqual(lines, ['test work failed']);
  isDown = false;
  await worker.run();
  assert.deepEqual(delivered, [7]);
});
