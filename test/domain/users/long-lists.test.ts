/** How many lists of all users are under way at a time. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { actAs } from '../../../src/domain/audit/context.ts';
import { listUsersFrom } from '../../../src/domain/users/users-in-order.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { makeUser } from '../../support/sign-in.ts';

describe('lists of all users', () => {
  let app: TestApp;
  before(async () => {
    app = await openTestApp('sqlite');
    await makeUser(app);
  });
  after(() => app.dispose());

  /** A list that the API key with this number asks for, and holds until it is told to go on. */
  function begin(key: number) {
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const read = async () => {
      for await (const { length } of listUsersFrom(app.services, app.account, {})) {
        assert.equal(length, 1);
        begun.resolve();
        await goOn.promise;
      }
    };
    const actor = { type: 'API', id: key } as const;
    const over = actAs({ actor, source: '127.0.0.1', requestId: null }, read).finally(() => begun.resolve());
    return { begun: begun.promise, goOn: goOn.resolve, over };
  }

  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const hasBegun = async ({ begun }: { begun: Promise<void> }) => {
    await settled();
    return Promise.race([begun.then(() => true), settled().then(() => false)]);
  };

  it('one key has four, and waits for the fifth; an account has eight', async () => {
    const [first, ...others] = [1, 1, 1, 1].map(begin);
    const fifth = begin(1);
    await Promise.all([first, ...others].map((one) => one?.begun));
    assert.equal(await hasBegun(fifth), false);
    const ofAnother = [2, 2, 2, 2].map(begin);
    await Promise.all(ofAnother.map(({ begun }) => begun));
    const third = begin(3);
    assert.equal(await hasBegun(third), false);
    first?.goOn();
    await third.begun;
    assert.equal(await hasBegun(fifth), false);
    const all = [...others, fifth, ...ofAnother, third];
    for (const one of all) one.goOn();
    await Promise.all(all.map(({ over }) => over));
  });

  it('where too many wait the next is refused, and those that wait are served', async () => {
    const many = Array.from({ length: 257 }, (_, number) => begin(number));
    for (const one of many) one.goOn();
    const outcomes = await Promise.allSettled(many.map(({ over }) => over));
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    assert.deepEqual(
      refused.map(({ code, detail }) => [code, detail.retryAfterSeconds]),
      [['unavailable', 10]],
    );
  });
});
