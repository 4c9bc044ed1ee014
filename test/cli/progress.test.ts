import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Progress, withProgress } from '../../src/cli/progress.ts';

/** Runs `work` with a terminal of 120 columns and a clock that `work` sets; answers all that was written. */
async function watch(
  work: (progress: Progress, at: (milliseconds: number) => void) => Promise<void> | void,
  { json = false, isTTY = true, columns = 120 } = {},
): Promise<{ readonly written: string[]; readonly error: unknown }> {
  const written: string[] = [];
  let time = 0;
  const screen = { isTTY, columns, write: (text: string) => written.push(text) };
  const options = { json, screen, now: () => time };
  const error = await withProgress(options, async (progress) =>
    work(progress, (milliseconds) => {
      time = milliseconds;
    }),
  ).catch((thrown: unknown) => thrown);
  return { written, error };
}

const erase = '\r\u001b[K';

test('a bar shows the stage, the share, the counts and the time left, and is gone at the end', async () => {
  const { written } = await watch((progress, at) => {
    progress.stage('copying users', 2_000_000);
    at(10_000);
    progress.done(500_000);
    progress.stage('copying events', null);
    at(20_000);
    progress.done(1_234);
    at(30_000);
    progress.done(3_000, 4_000);
  });
  assert.deepEqual(written, [
    `${erase}copying users  [######------------------]  25%  500,000 of 2,000,000  0:30 left`,
    `${erase}copying events  1,234`,
    `${erase}copying events  [##################------]  75%  3,000 of 4,000  0:07 left`,
    erase,
  ]);
});

test('a short command shows no bar, and a long one at most ten drawings a second', async () => {
  const short = await watch((progress, at) => {
    progress.stage('writing', 10);
    at(400);
    progress.done(10);
  });
  assert.deepEqual(short.written, []);
  const long = await watch((progress, at) => {
    progress.stage('writing', 1000);
    for (let count = 1; count <= 1000; count += 1) {
      at(1000 + count);
      progress.done(count);
    }
  });
  assert.equal(long.written.length, 11);
});

test('with --json, or where nobody watches, nothing is written', async () => {
  for (const options of [{ json: true }, { isTTY: false }]) {
    const { written } = await watch((progress, at) => {
      progress.stage('writing', 10);
      at(60_000);
      progress.done(5);
    }, options);
    assert.deepEqual(written, []);
  }
});

test('a line is never wider than the terminal, shows no control character, and goes when the work fails', async () => {
  const { written, error } = await watch(
    (progress, at) => {
      progress.stage('copying \u001b[31musers', 10);
      at(3_700_000);
      progress.done(1);
      throw new Error('the disk is full');
    },
    { columns: 30 },
  );
  assert.deepEqual(written, [`${erase}${'copying \\u001b[31musers  [##--'.slice(0, 29)}`, erase]);
  assert.equal((error as Error).message, 'the disk is full');
});
