import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Account } from '../../../src/domain/accounts/account.ts';
import { isTaken, limitedTo, type SimulatedNode, simulateNodes } from './simulated-nodes.ts';

const subject = { user: 1 };

/** Numbers between 0 and 1, the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Takes until none is left. */
async function takeAll(node: SimulatedNode, account: Account): Promise<number> {
  let taken = 0;
  while (await isTaken(node, account, subject)) taken += 1;
  return taken;
}

interface Offer {
  readonly points: number;
  readonly windowSeconds: number;
  readonly seconds: number;
  /** Of the limit. */
  readonly times?: number;
  readonly count?: number;
  /** How often each node is asked. */
  readonly weights?: readonly number[];
  readonly away?: readonly [from: number, until: number];
  /** Per cent; 10 unless said. */
  readonly most?: number;
}

/** The error of the limit in per cent, when events come to nodes by chance. */
async function errorOf(t: TestContext, { points, windowSeconds, seconds, times = 8, count = 4, ...more }: Offer) {
  const draw = numbers(7);
  t.mock.method(Math, 'random', draw);
  const { time, ledger, nodes } = simulateNodes(count);
  const account = limitedTo(points, windowSeconds);
  const { weights = nodes.map(() => 1), away } = more;
  const chosen = nodes.flatMap((node, index) => Array<SimulatedNode>(weights[index] ?? 0).fill(node));
  const interval = (1000 * windowSeconds) / (times * points);
  let taken = 0;
  while (time.now < seconds * 1000) {
    if (away) ledger.isAway = time.now > 1000 * away[0] && time.now < 1000 * away[1];
    const node = chosen[Math.floor(draw() * chosen.length)];
    if (node && (await isTaken(node, account, subject))) taken += 1;
    await time.pass(-Math.log(1 - draw()) * interval);
  }
  // A window that has begun may be used whole.
  const expected = points * Math.ceil(seconds / windowSeconds);
  return (100 * (taken - expected)) / expected;
}

describe('limits across nodes', () => {
  const cases: Readonly<Record<string, Offer>> = {
    'a minute': { points: 100, windowSeconds: 60, seconds: 59 },
    'seconds, one after the other': { points: 20, windowSeconds: 1, seconds: 20 },
    'one node has most of the events': { points: 60, windowSeconds: 60, seconds: 59, weights: [7, 1, 1, 1] },
    'a burst': { points: 60, windowSeconds: 60, seconds: 3, times: 500 },
    'windows that begin while the database is away': {
      points: 50,
      windowSeconds: 5,
      seconds: 30,
      away: [7, 22],
      most: 20,
    },
  };
  for (const [name, offer] of Object.entries(cases)) {
    const { most = 10 } = offer;
    it(`8 times the limit at 4 nodes, ${name}: the error is at most ${most} %`, async (t) => {
      const error = await errorOf(t, offer);
      assert.ok(Math.abs(error) <= most, `${error.toFixed(1)} %`);
    });
  }

  it('whoever stays below the limit is refused nowhere', async () => {
    const { time, nodes } = simulateNodes(4);
    const account = limitedTo(60, 60);
    for (let event = 0; event < 240; event += 1) {
      const node = nodes[Math.floor(event / 15) % nodes.length] ?? assert.fail();
      assert.ok(await isTaken(node, account, subject), `event ${event}`);
      await time.pass(1_010);
    }
  });

  it('what one node counted, gave back and cleared, the others hear of in a round', async () => {
    const { time, nodes } = simulateNodes(2);
    const [one, other] = [nodes[0] ?? assert.fail(), nodes[1] ?? assert.fail()];
    const account = limitedTo(10, 60);
    const left = async ({ limits }: SimulatedNode) => (await limits.state(account, 'sign-in', subject))?.remaining;
    const taken = await Promise.all([1, 2, 3, 4].map(() => one.limits.take(account, 'sign-in', subject)));
    await time.pass(1_000);
    await isTaken(other, account, subject);
    await time.pass(1_000);
    assert.deepEqual([await left(one), await left(other)], [10 - 4, 10 - 4 - 1]);
    await taken[0]?.giveBack();
    await taken[1]?.giveBack();
    await time.pass(1_000);
    await isTaken(other, account, subject);
    await time.pass(1_000);
    assert.equal(await left(other), 10 - 2 - 2);
    await isTaken(one, account, subject);
    await time.pass(1_000);
    await one.limits.reset(account, 'sign-in', subject);
    await time.pass(1_000);
    await isTaken(other, account, subject);
    await time.pass(1_000);
    assert.equal(await left(other), 10 - 1, 'what it had counted is cleared as well');
  });

  it('the window is that of the node that began it', async () => {
    const { time, nodes } = simulateNodes(2);
    const [one, other] = [nodes[0] ?? assert.fail(), nodes[1] ?? assert.fail()];
    const account = limitedTo(4, 60);
    assert.equal(await takeAll(one, account), 4);
    await time.pass(40_000);
    await isTaken(other, account, subject);
    await time.pass(1_000);
    assert.equal(await isTaken(other, account, subject), false);
    assert.equal((await other.limits.state(account, 'sign-in', subject))?.resetSeconds, 20);
    await time.pass(19_100);
    assert.deepEqual([await isTaken(one, account, subject), await isTaken(other, account, subject)], [true, true]);
  });

  it('neither a refusal nor an event among many costs a statement', async () => {
    const { time, ledger, nodes } = simulateNodes(1);
    const node = nodes[0] ?? assert.fail();
    const [small, large] = [limitedTo(20, 60), limitedTo(1_000, 60, 2)];
    assert.equal(await takeAll(node, small), 20);
    for (let event = 0; event < 10; event += 1) await isTaken(node, large, subject);
    await time.pass(10_000);
    const { statements } = ledger;
    assert.equal(statements, 1);
    for (let event = 0; event < 1_000; event += 1) assert.equal(await isTaken(node, small, subject), false);
    await time.pass(10_000);
    assert.equal(ledger.statements, statements);
    await isTaken(node, large, subject);
    await time.pass(1_000);
    assert.equal(ledger.statements, statements + 1, 'more than a hundredth is worth telling');
  });

  it('while the database is away limits go on, and afterwards the others hear of it', async () => {
    const { time, ledger, nodes } = simulateNodes(2);
    const [one, other] = [nodes[0] ?? assert.fail(), nodes[1] ?? assert.fail()];
    const account = limitedTo(10, 60);
    ledger.isAway = true;
    assert.equal(await takeAll(one, account), 10);
    await isTaken(other, account, subject);
    await time.pass(20_000);
    assert.deepEqual([one.lines, ledger.statements], [['limits not shared'], 0]);
    ledger.isAway = false;
    await time.pass(2_000);
    assert.deepEqual(one.lines, ['limits not shared', 'limits shared again']);
    assert.equal(await isTaken(other, account, subject), false);
  });

  it('a node that holds back until it knows more says so, and learns soon', async () => {
    const { time, ledger, nodes } = simulateNodes(2);
    const [one, other] = [nodes[0] ?? assert.fail(), nodes[1] ?? assert.fail()];
    const account = limitedTo(40, 60);
    for (const _ of [1, 2]) {
      for (let event = 0; event < 20; event += 1) {
        await isTaken(one, account, subject);
        await isTaken(other, account, subject);
        await time.pass(20);
      }
      await time.pass(60_000);
    }
    // It has half of the limit for sure; the other half went as fast in the window before.
    ledger.isAway = true;
    let taken = 0;
    while (taken < 40 && (await isTaken(one, account, subject))) {
      taken += 1;
      await time.pass(100);
    }
    assert.ok(taken >= 19 && taken < 36, `${taken}`);
    const held = await one.limits.state(account, 'sign-in', subject);
    assert.deepEqual(held, { limit: 40, remaining: 0, resetSeconds: 1 });
    ledger.isAway = false;
    for (let second = 0; second < 10; second += 1) {
      await time.pass(1_000);
      taken += await takeAll(one, account);
    }
    assert.equal(taken, 40);
  });

  it('strangers who invent subjects get rows and memory up to a bound, and nothing of another account', async () => {
    const { time, ledger, nodes } = simulateNodes(1, 1_000);
    const node = nodes[0] ?? assert.fail();
    const [flooded, other] = [limitedTo(20, 60), limitedTo(20, 60, 2)];
    const flood = async (first: number) => {
      for (let user = first; user < first + 5_000; user += 1) await isTaken(node, flooded, { user });
    };
    await flood(0);
    assert.equal(node.portions.size, 500, 'half of the room');
    await isTaken(node, other, subject);
    await time.pass(100);
    assert.ok(ledger.rows <= 1 + 200, `${ledger.rows} rows in a tenth of a second`);
    await time.pass(10_000);
    assert.equal(ledger.rows, 501);
    await time.pass(120_000);
    await flood(5_000);
    await time.pass(10_000);
    assert.deepEqual([node.portions.size, ledger.rows], [500, 501 + 500], 'forgotten ones have made room');
  });

  it('a node that stops tells what is left to tell, and begins nothing more', async () => {
    const { time, ledger, nodes } = simulateNodes(1);
    const node = nodes[0] ?? assert.fail();
    await isTaken(node, limitedTo(20, 60), subject);
    const stopped = node.rounds.stop();
    await time.pass(100);
    await stopped;
    assert.equal(ledger.rows, 1);
    await takeAll(node, limitedTo(20, 60));
    await time.pass(10_000);
    assert.equal(ledger.rows, 1);
  });
});
