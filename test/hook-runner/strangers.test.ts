/** Runs triggered by strangers: however many there are, users' runs have their own places. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../support/until.ts';
import { handler, openRunner } from './runner.ts';

const endless = handler('return new Promise(() => {})');
const one = handler('return 1');
/** More than run and wait for an account. */
const flood = 300;

it('endless runs for strangers block no run of their account’s users', async () => {
  const runner = await openRunner({ waitMilliseconds: 60_000 });
  const strangers = Array.from({ length: flood }, () =>
    runner.call(endless, { isForStranger: true, timeoutMilliseconds: 30_000 }),
  );
  await until(() => runner.processes().some(({ underWay }) => underWay === 4));
  for (let run = 0; run < 5; run += 1) assert.equal(await runner.value(one), 1);
  const busy = runner.processes().filter(({ accountId }) => accountId === 1);
  assert.deepEqual(busy.map(({ underWay }) => underWay).toSorted(), [0, 4]);
  await runner.close();
  const endings = new Set((await Promise.all(strangers)).map(({ ending }) => ending));
  assert.deepEqual([...endings].toSorted(), ['crashed', 'unavailable']);
});

it('strangers of many accounts leave other accounts’ users most of the processes', async () => {
  const runner = await openRunner({ mostProcesses: 8, waitMilliseconds: 60_000 });
  const strangers = Array.from({ length: 20 }, (_, number) =>
    runner.call(endless, { accountId: 10 + number, isForStranger: true, timeoutMilliseconds: 30_000 }),
  );
  await until(() => runner.processes().filter(({ underWay }) => underWay > 0).length === 2);
  for (const accountId of [1, 2, 3]) assert.equal(await runner.value(one, { accountId }), 1);
  assert.ok(runner.processes().filter(({ underWay }) => underWay > 0).length <= 2);
  await runner.close();
  await Promise.all(strangers);
});

it('a constantly busy account gives up its place to another', async () => {
  const runner = await openRunner({ mostProcesses: 1, waitMilliseconds: 60_000 });
  let isOver = false;
  const wait = handler('await new Promise((done) => setTimeout(done, 50)); return 1');
  const busy = Array.from({ length: 3 }, async (_, lane) => {
    await delay(lane * 15);
    while (!isOver) assert.equal(await runner.value(wait), 1);
  });
  await until(() => runner.processes().some(({ underWay }) => underWay === 3));
  assert.equal(await runner.value(one, { accountId: 2 }), 1);
  isOver = true;
  await Promise.all(busy);
  await runner.close();
});
