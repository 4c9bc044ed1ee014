/** The queue for strangers' requests: which is next, which is turned away. Work is counted, not timed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createFairQueue,
  type FairQueue,
  type FairQueueOptions,
  type Turn,
} from '../../../src/domain/fair-queue/fair-queue.ts';
import type { Share } from '../../../src/domain/fair-queue/share.ts';

interface Asked {
  readonly name: string;
  turn: Turn | null | undefined;
}

/** A queue whose turns end when the test says so. The last that came loses when equals draw lots. */
function subject(options: Partial<FairQueueOptions> = {}) {
  let now = 0;
  const queue: FairQueue = createFairQueue({ turns: 1, most: 65, clock: () => now, random: () => 0.999, ...options });
  const served: Asked[] = [];
  const turned: Asked[] = [];
  return {
    queue,
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
    names: () => served.map(({ name }) => name),
    refused: () => turned.map(({ name }) => name),
    async ask(name: string, source = name, accountId = 1): Promise<Asked> {
      const asked: Asked = { name, turn: undefined };
      void queue.enter({ accountId, source } satisfies Share).then((turn) => {
        asked.turn = turn;
        (turn ? served : turned).push(asked);
      });
      await settled();
      return asked;
    },
    /** Ends the oldest running turn. */
    async endOne(): Promise<void> {
      const asked = served.find(({ turn }) => turn);
      asked?.turn?.end();
      if (asked) asked.turn = undefined;
      await settled();
    },
  };
}

const settled = () => new Promise(setImmediate);

test('after 120 requests of one source, another source is served right after the running request', async () => {
  const { ask, endOne, names, refused } = subject();
  for (let number = 0; number < 120; number += 1) await ask(`flood ${number}`, 'flood');
  assert.equal(refused().length, 120 - 65);
  await ask('quiet');
  assert.equal(refused().at(-1), 'flood 64', 'the last request in the queue makes room');
  await endOne();
  assert.deepEqual(names(), ['flood 0', 'quiet']);
});

test('requests of one source are served in order, and its newest are turned away', async () => {
  const { ask, endOne, names, refused } = subject({ most: 4 });
  for (let number = 0; number < 6; number += 1) await ask(String(number), 'one');
  for (let number = 0; number < 4; number += 1) await endOne();
  assert.deepEqual(
    [names(), refused()],
    [
      ['0', '1', '2', '3'],
      ['4', '5'],
    ],
  );
});

test('sources get equal shares, however much each requests', async () => {
  const { ask, endOne, names } = subject();
  for (const source of ['a', 'b']) for (let number = 0; number < 30; number += 1) await ask(source, source);
  for (let number = 0; number < 20; number += 1) await endOne();
  const count = (name: string) => names().filter((one) => one === name).length;
  assert.ok(Math.abs(count('a') - count('b')) <= 1, names().join());
});

test('accounts take turns, and a busy one makes room for another', async () => {
  const { ask, endOne, names, refused } = subject();
  for (let number = 0; number < 65; number += 1) await ask(`a${number}`, `a${number}`, 1);
  for (const name of ['b0', 'b1', 'b2']) await ask(name, name, 2);
  assert.deepEqual(refused(), ['a64', 'a63', 'a62']);
  for (let number = 0; number < 6; number += 1) await endOne();
  assert.deepEqual(names(), ['a0', 'b0', 'a1', 'b1', 'a2', 'b2', 'a3']);
});

test('a source waiting in many accounts makes room before one waiting in one', async () => {
  const { ask, refused } = subject({ most: 6 });
  for (let number = 0; number < 6; number += 1) await ask(`wide ${number}`, 'wide', 2 + number);
  for (const name of ['a', 'b']) await ask(name, name, 1);
  assert.deepEqual(refused(), ['wide 5', 'wide 4']);
});

test('an account with more waiting than any source has in all accounts makes room', async () => {
  const { ask, refused } = subject({ most: 7 });
  for (let number = 0; number < 5; number += 1) await ask(`crowd ${number}`, `crowd ${number}`, 1);
  for (let number = 0; number < 3; number += 1) await ask(`wide ${number}`, 'wide', 2 + number);
  assert.deepEqual(refused(), ['crowd 4']);
});

test('among equally busy accounts a random one makes room, not always the newcomer', async () => {
  const draws = [0.5, 0.2];
  const { ask, refused } = subject({ most: 5, random: () => draws.shift() ?? 0 });
  for (let number = 0; number < 6; number += 1) await ask(`${number}`, `${number}`, number);
  assert.deepEqual(refused(), ['3']);
});

test('1,000 constantly retrying sources do not starve an occasional one', async () => {
  const { ask, endOne, wait, names } = subject();
  let sent = 0;
  const flood = async (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      for (let number = 0; number < 20; number += 1) await ask(`flood ${sent}`, `source ${sent++ % 1000}`);
      await endOne();
      wait(10);
    }
  };
  await flood(200);
  for (let visit = 0; visit < 5; visit += 1) {
    const before = names().length;
    await ask(`quiet ${visit}`, 'quiet');
    await flood(10);
    const at = names().indexOf(`quiet ${visit}`);
    assert.ok(at !== -1 && at - before <= 2, `visit ${visit}: ${at - before}`);
    await flood(200);
  }
});

test('without history one of 1,000 sources is served after a few tries at most', async () => {
  const { ask, endOne, wait, names } = subject();
  for (let number = 0; number < 1000; number += 1) await ask('flood', `source ${number}`);
  let tries = 0;
  while (!names().includes('quiet')) {
    tries += 1;
    assert.ok(tries <= 5, 'kept out');
    await ask('quiet');
    for (let number = 0; number < 100; number += 1) {
      await ask('flood', `source ${(tries * 100 + number) % 1000}`);
      await endOne();
      wait(10);
    }
  }
});

test('a returning source is served in an endless stream of new ones', async () => {
  const { ask, endOne, wait, names } = subject();
  await ask('regular 0', 'regular');
  let tries = 0;
  for (let number = 0; number < 3000 && !names().includes('regular 1'); number += 1) {
    if (number % 300 === 299) await ask('regular 1', 'regular');
    for (let more = 0; more < 2; more += 1) await ask('new', `new ${number} ${more}`);
    tries += 1;
    wait(10);
    await endOne();
  }
  assert.ok(names().includes('regular 1'), `${tries} services`);
});

test('turns of a source and of an account are limited, and others overtake those who wait for them', async () => {
  const { ask, endOne, names } = subject({ turns: 64, turnsOfAccount: 2, turnsOfHolder: 1 });
  for (let number = 0; number < 3; number += 1) await ask(`a${number}`, 'a');
  for (const name of ['b', 'c']) await ask(name);
  await ask('other', 'a', 2);
  assert.deepEqual(names(), ['a0', 'b', 'other']);
  await endOne();
  assert.deepEqual(names(), ['a0', 'b', 'other', 'c']);
  await endOne();
  assert.deepEqual(names(), ['a0', 'b', 'other', 'c', 'a1']);
});

test('with the fewest first an account has several turns only until others wait', async () => {
  const { ask, names } = subject({ turns: 2, fewestFirst: true });
  const end = async ({ turn }: Asked) => {
    turn?.end();
    await settled();
  };
  const long = [await ask('long 0', 'one', 1), await ask('long 1', 'one', 1)];
  for (const number of [2, 3, 4]) await ask(`long ${number}`, 'one', 1);
  assert.deepEqual(names(), ['long 0', 'long 1'], 'both, while nobody else waits');
  const short: Asked[] = [];
  for (const number of [0, 1, 2]) short.push(await ask(`short ${number}`, 'two', 2));
  for (const one of [...long.slice(0, 1), ...short]) await end(one);
  // While the long turn goes on, the other place is not the same account's as well.
  assert.deepEqual(names().slice(2), ['short 0', 'short 1', 'short 2', 'long 2']);
});

test('an account stays in the queue when its only request makes room for its next', async () => {
  const { ask, endOne, names, refused } = subject({ turns: 2, turnsOfAccount: 1, most: 5 });
  await ask('b', 'b', 2);
  await ask('a busy', 'busy', 1);
  await ask('c', 'c', 3);
  await ask('d', 'd', 4);
  await ask('a busy again', 'busy', 1);
  for (let number = 0; number < 2; number += 1) await endOne();
  const others = [await ask('e', 'e', 5), await ask('f', 'f', 6)];
  await ask('a quiet', 'quiet', 1);
  assert.deepEqual([names(), refused()], [['b', 'a busy', 'c', 'd'], ['a busy again']]);
  await endOne();
  await ask('a late', 'late', 1);
  await endOne();
  for (const other of others) {
    other.turn?.end();
    await settled();
  }
  assert.deepEqual(names().slice(4), ['a quiet', 'e', 'f'], 'one turn at a time per account');
});

test('quiet sources have turns of their own and rank before those who had their share', async () => {
  const { ask, endOne, names } = subject({ turns: 2, turnsForQuiet: 1 });
  for (let number = 0; number < 20; number += 1) await ask(`${number}`, 'busy');
  for (let number = 0; number < 10; number += 1) await endOne();
  const busy = names().length - 10;
  assert.equal(busy, 2);
  const quiet = await ask('quiet');
  assert.ok(quiet.turn, 'the third turn');
  assert.equal(names().at(-1), 'quiet');
  await endOne();
  await endOne();
  await endOne();
  const next = await ask('another');
  assert.ok(next.turn && quiet, 'again');
});

test('a wait that timed out leaves the queue unchanged', async () => {
  const { queue, ask, endOne, names } = subject({ most: 2 });
  await ask('first');
  assert.equal(await queue.enter({ accountId: 1, source: 'late' }, 1), null);
  await ask('second');
  await endOne();
  assert.deepEqual(names(), ['first', 'second']);
});

test('memory is bounded and freed when idle', async () => {
  const { queue } = subject();
  const first = await queue.enter({ accountId: 1, source: 'first' });
  const before = process.memoryUsage().heapUsed;
  for (let number = 0; number < 50_000; number += 1)
    void queue.enter({ accountId: 1, source: `${number}`.padEnd(200) });
  globalThis.gc?.();
  assert.ok(process.memoryUsage().heapUsed - before < 64 * 1024 * 1024);
  first?.end();
});

test('a source whose turns are forgiven stays ahead of those that request as often', async () => {
  const { queue, ask, endOne } = subject();
  for (let number = 0; number < 60; number += 1) await ask(`flood ${number}`, `flood ${number % 24}`);
  // Each source of the flood has had one.
  for (let number = 0; number < 24; number += 1) await endOne();
  for (let visit = 0; visit < 20; visit += 1) {
    const entered = queue.enter({ accountId: 1, source: 'owner' });
    await endOne();
    const turn = await entered;
    assert.ok(turn, 'the next one');
    await ask(`flood ${visit}`, `flood ${visit % 24}`);
    turn.end(true);
    await settled();
  }
});

test('an account with long turns waits for as many turns of others', async () => {
  const { queue } = subject();
  const order: number[] = [];
  const ask = async (accountId: number, weight: number) => {
    for (let number = 0; number < 12; number += 1) {
      const turn = await queue.enter({ accountId, source: `${accountId}` });
      order.push(accountId);
      await settled();
      turn?.end(false, weight);
    }
  };
  await Promise.all([ask(1, 4), ask(1, 4), ask(2, 1), ask(2, 1)]);
  const both = order.slice(0, 16);
  assert.deepEqual([both.filter((id) => id === 1).length, both.filter((id) => id === 2).length], [4, 12], order.join());
});
