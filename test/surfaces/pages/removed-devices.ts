import assert from 'node:assert/strict';
import { it } from 'node:test';
import { removeDevice } from '../../../src/domain/second-factor/devices.ts';
import type { TestApp } from '../../support/app.ts';
import { givePasskey, passkeyOptionsOf, showPasskey } from '../../support/passkeys.ts';
import { countRows } from '../../support/rows.ts';
import { giveDevice } from '../../support/second-factor.ts';
import { submit, type Walk } from '../../support/sign-in.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { type AppOf, isConsent, openWith, type Setting, settle } from './browsing.ts';

const fresh = 'seven brown bears at tea';
const chosen = { new_password: fresh, new_password_confirmation: fresh };

interface Ready {
  readonly setting: Setting;
  readonly deviceId: number;
  /** At the page for a new password. */
  readonly at: Walk;
}

async function settleExpired(one: TestApp): Promise<Setting> {
  const setting = await settle(one);
  await one.services.store.users.update(one.account.id, setting.user.id, { status: 4 });
  return setting;
}

/** How a user with an expired password uses a device before choosing a new password. */
const shown: Readonly<Record<string, (one: TestApp) => Promise<Ready>>> = {
  'a passkey': async (one) => {
    const setting = await settleExpired(one);
    const { id, passkey } = await givePasskey(one, setting.user);
    const at = await setting.begin();
    return { setting, deviceId: id, at: await showPasskey(one, at, passkey.get(passkeyOptionsOf(at.answer.text))) };
  },
  'a passkey after the password': async (one) => {
    const setting = await settleExpired(one);
    await giveDevice(one, setting.user);
    const { id, passkey } = await givePasskey(one, setting.user);
    const at = await setting.signIn();
    return { setting, deviceId: id, at: await showPasskey(one, at, passkey.get(passkeyOptionsOf(at.answer.text))) };
  },
  'a code of an app': async (one) => {
    const setting = await settleExpired(one);
    const device = await giveDevice(one, setting.user);
    return { setting, deviceId: device.id, at: await submit(one, await setting.signIn(), { otp: device.code() }) };
  },
};

/** A device removed while a sign-in that used it waits: the sign-in cannot continue. */
export function removedDevices(app: AppOf): void {
  const remove = (one: TestApp, { setting, deviceId }: Omit<Ready, 'at'>) =>
    removeDevice(one.services, one.account, setting.user.id, deviceId);

  async function assertNothingOpened(one: TestApp, { user }: Setting): Promise<void> {
    const found = await one.services.store.users.find(one.account.id, user.id);
    assert.deepEqual([found?.status, found?.passwordDigest], [4, user.passwordDigest]);
    assert.equal(await countRows(one.url, `select * from sessions where user_id = ${user.id}`), 0);
  }

  for (const [what, begin] of Object.entries(shown)) {
    it(`a removed ${what} opens nothing through a new password`, async () => {
      const ready = await begin(app());
      assert.match(ready.at.answer.text, /name="new_password"/);
      await remove(app(), ready);
      const refused = await submit(app(), ready.at, chosen);
      assert.equal(refused.answer.status, 400);
      await assertNothingOpened(app(), ready.setting);
    });
  }

  it('a factor removed while the new password is hashed opens nothing either', async () => {
    const { kind } = app().services.store;
    let duringHash: () => Promise<void> = async () => {};
    const one = await openWith(kind as DatabaseKind, ({ passwords }) => ({
      passwords: {
        ...passwords,
        digest: async (typed, share) => {
          if (typed === fresh) await duringHash();
          return passwords.digest(typed, share);
        },
      },
    }));
    try {
      const begin = shown['a passkey'];
      assert.ok(begin);
      const ready = await begin(one);
      duringHash = () => remove(one, ready);
      assert.equal((await submit(one, ready.at, chosen)).answer.status, 400);
      await assertNothingOpened(one, ready.setting);
    } finally {
      await one.dispose();
    }
  });

  it('a sign-in waiting for a removed second factor does not continue with another: it starts over', async () => {
    const setting = await settle(app());
    const left = await giveDevice(app(), setting.user);
    const taken = await givePasskey(app(), setting.user);
    const waiting = await setting.signIn();
    await remove(app(), { setting, deviceId: taken.id });
    assert.equal((await submit(app(), waiting, { otp: left.code() })).answer.status, 400);
    assert.ok(isConsent((await submit(app(), await setting.signIn(), { otp: left.code() })).answer));
  });
}
