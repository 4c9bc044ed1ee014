/** What a line can promise. */

export interface Promised {
  readonly bound: 'at least' | 'at most';
  readonly value: number;
  /** Of what the value is: the ratio to a peer, or the figure itself. */
  readonly of: 'ratio' | 'figure';
}

export const atLeast = (value: number, of: Promised['of'] = 'ratio'): Promised => ({ bound: 'at least', value, of });
export const atMost = (value: number, of: Promised['of'] = 'figure'): Promised => ({ bound: 'at most', value, of });
