/** Requests that a test sent a second time, as a busy machine has it. A fault of the service could hide behind them. */

import assert from 'node:assert/strict';

/** Of all requests, besides one in each lane: a pause of the machine meets all of them at once. */
const mostShare = 0.02;

/** Fails unless few of the requests, which were sent in so many lanes, were sent again; `reasons` has one for each. */
export function assertFewSentAgain(reasons: readonly string[], requests: number, lanes: number): void {
  const most = lanes + Math.floor(requests * mostShare);
  const listed = reasons.slice(0, 50).join('\n');
  assert.ok(reasons.length <= most, `${reasons.length} of ${requests} requests were sent again:\n${listed}`);
}
