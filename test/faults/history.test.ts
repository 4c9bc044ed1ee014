import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BreachKind, breachKinds, countBreaches, findBreaches, type TokenCall } from './history.ts';

const rule = { graceMilliseconds: 10_000 };

function call(sent: string, got: string | null, calledAt: number, answeredAt: number, client = 'c'): TokenCall {
  return { client, sent, got, outcome: got === null ? 'refused' : 'success', calledAt, answeredAt };
}

function unanswered(sent: string, calledAt: number): TokenCall {
  return { client: 'c', sent, got: null, outcome: 'no answer', calledAt, answeredAt: calledAt + 1 };
}

function revoked(sent: string, calledAt: number, answeredAt: number): TokenCall {
  return { client: 'c', sent, got: null, outcome: 'revoked', calledAt, answeredAt };
}

/** Longer than any stack could follow. */
function chain(length: number): TokenCall[] {
  return Array.from({ length }, (_, index) => call(`t${index}`, `t${index + 1}`, index, index + 0.5));
}

describe('a history that follows the rule', () => {
  const explained: Readonly<Record<string, readonly TokenCall[]>> = {
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
    'refusals after a revocation': [call('a', 'b', 0, 5), revoked('b', 6, 9), call('b', null, 10, 12)],
    'a call that overlaps a revocation, either way': [
      call('a', 'b', 0, 5),
      revoked('a', 6, 20),
      call('b', 'c', 7, 19),
      call('c', null, 8, 15),
    ],
    'a long chain': chain(20_000),
  };
  for (const [title, history] of Object.entries(explained)) {
    it(title, () => assert.deepEqual(findBreaches(history, rule), []));
  }
});

describe('planted faults are found', () => {
  type Planted = readonly [kind: BreachKind, text: RegExp, history: readonly TokenCall[]];
  const planted: Readonly<Record<string, Planted>> = {
    'two successors of one token': [
      'tokens with two successors',
      /2 successors/,
      [call('a', 'b', 0, 5), call('a', 'c', 1, 6)],
    ],
    'another successor for a late retry': [
      'tokens with two successors',
      /2 successors/,
      [call('a', 'b', 0, 5), call('a', 'c', 9_000, 9_001)],
    ],
    'another successor for a retry after a crash': [
      'tokens with two successors',
      /2 successors/,
      [unanswered('a', 0), call('a', 'b', 500, 510), call('a', 'c', 520, 530)],
    ],
    'a family revoked by parallel use': [
      'families wrongly revoked',
      /nobody reused/,
      [call('a', 'b', 0, 50), call('a', null, 1, 60), call('a', 'b', 2, 70)],
    ],
    'a family revoked by a retry inside the grace': [
      'families wrongly revoked',
      /nobody reused/,
      [call('a', 'b', 0, 5), call('a', null, 9_000, 9_990)],
    ],
    'a family revoked by itself': [
      'families wrongly revoked',
      /nobody reused/,
      [call('a', 'b', 0, 5), call('b', null, 6, 9)],
    ],
    'a family revoked by itself, recorded once': [
      'families wrongly revoked',
      /^…b was refused/,
      [call('a', 'b', 0, 5), call('b', null, 6, 9), call('b', null, 10, 12), call('b', null, 13, 14)],
    ],
    "a family revoked before its client's revocation": [
      'families wrongly revoked',
      /nobody reused/,
      [call('a', 'b', 0, 5), call('b', null, 6, 9), revoked('b', 10, 12)],
    ],
    'a session lost in a crash': ['sessions lost', /nobody reused/, [unanswered('a', 0), call('a', null, 500, 510)]],
    'an acknowledged token lost in a crash': [
      'sessions lost',
      /^…c was refused/,
      [call('a', 'b', 0, 5), call('b', 'c', 6, 9), unanswered('c', 10), call('c', null, 500, 510)],
    ],
    'a token accepted after its family ended': [
      'accepted after revocation',
      /after its family ended/,
      [call('a', 'b', 0, 5), call('a', null, 10_010, 10_020), call('b', 'c', 10_030, 10_040)],
    ],
    'a family that only lost the old token': [
      'accepted after revocation',
      /after its family ended/,
      [call('a', 'b', 0, 5), call('b', 'c', 6, 9), call('a', null, 10, 12), call('c', 'd', 13, 14)],
    ],
    'a token accepted after its revocation was acknowledged': [
      'accepted after revocation',
      /^…b was accepted at 10 ms/,
      [call('a', 'b', 0, 5), revoked('b', 6, 9), call('b', 'c', 10, 12)],
    ],
    'a successor accepted after the revocation of an older token': [
      'accepted after revocation',
      /^…c was accepted/,
      [call('a', 'b', 0, 5), call('b', 'c', 6, 9), revoked('a', 10, 11), call('c', 'd', 12, 14)],
    ],
    'the fault of one family among others': [
      'families wrongly revoked',
      /^…x was refused/,
      [call('a', 'b', 0, 5), call('a', null, 10_010, 10_020), call('x', null, 10_000, 10_001)],
    ],
  };
  for (const [title, [kind, text, history]] of Object.entries(planted)) {
    it(title, () => {
      const [first, ...rest] = findBreaches(history, rule);
      assert.equal(first?.kind, kind);
      assert.match(first?.text ?? '', text);
      assert.deepEqual(rest, []);
    });
  }

  it('each kind of fault is planted', () => {
    const kinds = Object.values(planted).map(([kind]) => kind);
    assert.deepEqual(new Set(kinds), new Set(breachKinds));
  });

  it('each is counted under its kind', () => {
    const histories = Object.values(planted).map(([, , history], index) =>
      history.map((one) => ({ ...one, sent: `${index}${one.sent}`, got: one.got && `${index}${one.got}` })),
    );
    assert.deepEqual(countBreaches(findBreaches(histories.flat(), rule)), {
      'tokens with two successors': 3,
      'accepted after revocation': 4,
      'families wrongly revoked': 6,
      'sessions lost': 2,
    });
  });
});
