import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiKey } from '../../../src/domain/callers/api-keys.ts';
import { storeWhileAdmitted } from '../../../src/domain/callers/still-admitted.ts';
import { digestOf } from '../../../src/domain/secrets.ts';
import type { Store } from '../../../src/store/store.ts';
import { createTestAccount } from '../../support/services.ts';
import { onServices } from '../subject.ts';

onServices('turns of writes', (subject) => {
  test('transactions of one account beyond three wait without a connection; another account goes on', async () => {
    const { services } = subject;
    let begun = 0;
    const released = Promise.withResolvers<void>();
    const busy = await createTestAccount(services);
    const other = await createTestAccount(services);
    // Each transaction of the busy account waits, as for rows of another one.
    const store: Store = {
      ...services.store,
      transaction: async (work) => {
        begun += 1;
        await released.promise;
        return services.store.transaction(work);
      },
    };
    const admittedOf = async (account: typeof busy) => ({
      keyDigest: digestOf((await createApiKey(services, account, 'key')).apiKey),
    });
    const ofBusy = storeWhileAdmitted({ ...services, store }, busy, await admittedOf(busy));
    const ofOther = storeWhileAdmitted({ ...services, store }, other, await admittedOf(other));
    const name = async (at: number) => at;
    const writes = Array.from({ length: 10 }, (_, at) => ofBusy.transaction(() => name(at)));
    while (begun < 3) await new Promise(setImmediate);
    const write = ofOther.transaction(() => name(10));
    while (begun < 4) await new Promise(setImmediate);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    assert.equal(begun, 4);
    released.resolve();
    assert.deepEqual(await Promise.all([...writes, write]), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert.equal(begun, 11);
  });
});
