import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rotationStepOf } from '../../../src/domain/keys/rotation-step.ts';
import type { SigningKeyRecord } from '../../../src/store/keys.ts';
import { day } from '../../store/samples.ts';

const key = (signsFrom: number, retiresAt: number | null = null, alg: SigningKeyRecord['alg'] = 'RS256') =>
  ({ alg, signsFrom, retiresAt }) as SigningKeyRecord;

const now = 1000 * day;
const rows: readonly (readonly [string, readonly SigningKeyRecord[], string])[] = [
  ['no key', [], 'missing'],
  ['only a key of another algorithm', [key(now - day, null, 'ES256')], 'missing'],
  ['only a retiring key', [key(now - day, now + day)], 'missing'],
  ['a key that signs', [key(now - day)], 'signing'],
  ['a key on its last day', [key(now - 90 * day + 1)], 'signing'],
  ['a key without a successor', [key(now - 90 * day)], 'overdue'],
  ['a key with an announced successor', [key(now - 90 * day, now + 2 * day), key(now + 1)], 'published'],
  ['a key and the one that it replaced', [key(now - 91 * day, now + 1), key(now)], 'replaced'],
  ['a key whose predecessor verifies nothing any more', [key(now - 91 * day, now), key(now - day)], 'signing'],
];

for (const [what, keys, step] of rows) {
  test(`${what}: ${step}`, () => assert.equal(rotationStepOf(keys, 'RS256', now), step));
}
