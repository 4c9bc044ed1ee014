import assert from 'node:assert/strict';
import { it } from 'node:test';
import { endOfChallenge, newChallenge, type Purpose, useChallenge } from '../../../src/domain/passkeys/challenge.ts';
import { createTestAccount } from '../../support/services.ts';
import { onServices } from '../subject.ts';

const minute = 60_000;
const purpose: Purpose = { of: 'sign-in', digest: 'of a sign-in' };

onServices('challenges of passkeys', (subject) => {
  it('are valid for ten minutes, whatever happens to the page', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    using _ = services.clock.hold();
    const challenge = newChallenge(services, account, purpose);
    const end = services.clock.now() + 10 * minute;
    services.clock.advance(10 * minute - 1);
    assert.equal(endOfChallenge(services, account, purpose, challenge), end);
    services.clock.advance(1);
    assert.equal(endOfChallenge(services, account, purpose, challenge), null);
  });

  it('are valid for one purpose, one sign-in and one account, and have one spelling', async () => {
    const { services } = subject;
    const [account, another] = [await createTestAccount(services), await createTestAccount(services)];
    const challenge = newChallenge(services, account, purpose);
    assert.notEqual(endOfChallenge(services, account, purpose, challenge), null);
    const others: readonly Purpose[] = [
      { ...purpose, of: 'second factor' },
      { ...purpose, of: 'new passkey' },
      { ...purpose, digest: 'of another' },
    ];
    for (const other of others) assert.equal(endOfChallenge(services, account, other, challenge), null);
    assert.equal(endOfChallenge(services, another, purpose, challenge), null);
    const bytes = Buffer.from(challenge, 'base64url');
    // Its expiry is part of the signed text, so it cannot be extended.
    const longer = Buffer.from(bytes);
    longer.writeBigUInt64BE(longer.readBigUInt64BE(16) + 1n, 16);
    for (const text of ['', challenge.slice(4), `${challenge}=`, longer.toString('base64url')]) {
      assert.equal(endOfChallenge(services, account, purpose, text), null, text);
    }
  });

  it('are used once', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    const challenge = newChallenge(services, account, purpose);
    const use = () => useChallenge(services.store, account, challenge, services.clock.now() + minute);
    assert.deepEqual([await use(), await use()], [true, false]);
  });
});
