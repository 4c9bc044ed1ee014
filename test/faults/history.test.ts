import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Exchange, findBreaches } from './history.ts';

const rule = { graceMilliseconds: 10_000 };

function call(sent: string, got: string | null, calledAt: number, answeredAt: number, client = 'c'): Exchange {
  return { client, sent, got, outcome: got === null ? 'refused' : 'success', calledAt, answeredAt };
}

function unanswered(sent: string, calledAt: number): Exchange {
  return { client: 'c', sent, got: null, outcome: 'no answer', calledAt, answeredAt: calledAt + 1 };
}

describe('a history that the rule explains', () => {
  const explained: Readonly<Record<string, readonly Exchange[]>> = {
    'a chain': [call('a', 'b', 0, 5), call('b', 'c', 6, 9), call('c', 'd', 10, 12)],
    'parallel calls that share a successor': [call('a', 'b', 0, 50), call('a', 'b', 1, 40), call('a', 'b', 39, 60)],
    'a retry after a lost answer': [unanswered('a', 0), call('a', 'b', 500, 510), call('b', 'c', 520, 530)],
    'a retry after the grace of a call whose answer was lost': [unanswered('a', 0), call('a', null, 10_010, 10_020)],
    'a reuse after the grace ends the family': [
      call('a', 'b', 0, 5),
      call('a', null, 10_010, 10_020),
      call('b', null, 10_030, 10_040),
    ],
    'a reuse after the successor was used ends the family': [
      call('a', 'b', 0, 5),
      call('b', 'c', 6, 9),
      call('a', null, 10, 12),
      call('c', null, 13, 14),
    ],
    'a refusal while a reuse is under way': [
      call('a', 'b', 0, 5),
      call('b', null, 10_011, 10_012),
      call('a', null, 10_010, 10_020),
    ],
    'a predecessor that overlaps the first use of the successor': [
      call('a', 'b', 0, 5),
      call('b', 'c', 6, 20),
      call('a', null, 7, 15),
      call('c', null, 21, 22),
    ],
    'a retry of an unanswered call that overlaps the end of the grace': [
      unanswered('a', 0),
      call('a', 'b', 9_990, 9_995),
      call('a', null, 9_996, 10_001),
    ],
  };
  for (const [title, history] of Object.entries(explained)) {
    it(title, () => assert.deepEqual(findBreaches(history, rule), []));
  }
});

describe('planted faults are found', () => {
  const planted: Readonly<Record<string, readonly [breach: RegExp, history: readonly Exchange[]]>> = {
    'two successors of one token': [/2 successors/, [call('a', 'b', 0, 5), call('a', 'c', 1, 6)]],
    'another successor for a late retry': [/2 successors/, [call('a', 'b', 0, 5), call('a', 'c', 9_000, 9_001)]],
    'a family revoked by parallel use': [
      /nobody reused/,
      [call('a', 'b', 0, 50), call('a', null, 1, 60), call('a', 'b', 2, 70)],
    ],
    'a family revoked by a retry inside the grace': [
      /nobody reused/,
      [call('a', 'b', 0, 5), call('a', null, 9_000, 9_990)],
    ],
    'a family revoked by itself': [/nobody reused/, [call('a', 'b', 0, 5), call('b', null, 6, 9)]],
    'a session lost in a crash': [/nobody reused/, [unanswered('a', 0), call('a', null, 500, 510)]],
    'a token accepted after its family ended': [
      /after its family ended/,
      [call('a', 'b', 0, 5), call('a', null, 10_010, 10_020), call('b', 'c', 10_030, 10_040)],
    ],
    'a family that only lost the old token': [
      /after its family ended/,
      [call('a', 'b', 0, 5), call('b', 'c', 6, 9), call('a', null, 10, 12), call('c', 'd', 13, 14)],
    ],
    'the fault of one family among others': [
      /^…x was refused/,
      [call('a', 'b', 0, 5), call('a', null, 10_010, 10_020), call('x', null, 10_000, 10_001)],
    ],
  };
  for (const [title, [breach, history]] of Object.entries(planted)) {
    it(title, () => {
      const [first, ...rest] = findBreaches(history, rule);
      assert.match(first ?? 'no breach', breach);
      assert.deepEqual(rest, []);
    });
  }
});
