/** How long a session lives. The pages ask by more than one of these rules at once. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isLive, isTooOld } from '../../../src/domain/login/sessions.ts';
import type { PolicyRecord } from '../../../src/store/policies.ts';
import type { SessionRecord } from '../../../src/store/sessions.ts';
import { hour, now } from '../../store/samples.ts';

const session = {
  authenticatedAt: now,
  lastSeenAt: now + 10 * hour,
  idleMilliseconds: 3 * hour,
  expiresAt: now + 12 * hour,
} as SessionRecord;

it('a session ends after its idle time, and at its maximum age however often it is used', () => {
  assert.ok(isLive(session, now + 12 * hour - 1));
  assert.ok(!isLive(session, now + 12 * hour));
  const unused = { ...session, lastSeenAt: now };
  assert.ok(isLive(unused, now + 3 * hour - 1));
  assert.ok(!isLive(unused, now + 3 * hour));
});

it("a session is too old for an app at the age in the app's policy, whatever the session's own limit", () => {
  const policy = { sessionAbsoluteMinutes: 60 } as PolicyRecord;
  assert.ok(!isTooOld(session, policy, now + hour - 1));
  assert.ok(isTooOld(session, policy, now + hour));
});
