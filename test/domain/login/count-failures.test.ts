import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Failure } from '../../../src/domain/failure.ts';
import { countFailures, countRefusal } from '../../../src/domain/login/count-failures.ts';
import { createTestAccount } from '../../support/services.ts';
import { onServices } from '../subject.ts';

const address = '192.0.2.1';

onServices('counted sign-ins', (subject) => {
  it('a refusal counts, and reveals nothing through a limit that others have used up meanwhile', async () => {
    const { limits } = subject.services;
    const account = await createTestAccount(subject.services, { settings: { 'limit.sign-in': '2/h' } });
    const wrong = () => countFailures(limits, account, address, async () => null);
    // The right password gives its place back; then it is refused for something else.
    await countFailures(limits, account, address, async () => 'right');
    await countRefusal(limits, account, address);
    await wrong();
    await assert.rejects(wrong, (error) => error instanceof Failure && error.code === 'rate_limited');
    await countRefusal(limits, account, address);
  });
});
