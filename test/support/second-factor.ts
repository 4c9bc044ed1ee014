/** An authenticator app for tests. */

import { TOTP } from 'otpauth';
import { useCode } from '../../src/domain/second-factor/check-code.ts';
import { startEnrolment } from '../../src/domain/second-factor/enrolments.ts';
import { replaceRecoveryCodes } from '../../src/domain/second-factor/recovery-codes.ts';
import type { UserRecord } from '../../src/store/users.ts';
import type { TestApp } from './app.ts';

/** The code that an app with this key shows at a time. */
export function codeAt(secret: string, timestamp: number): string {
  return new TOTP({ secret: secret.replace(/\s/g, ''), algorithm: 'SHA1', digits: 6, period: 30 }).generate({
    timestamp,
  });
}

/** A code that is invalid for all steps around now. */
export function wrongCode(secret: string, timestamp: number): string {
  const right = [-2, -1, 0, 1, 2].map((step) => codeAt(secret, timestamp + step * 30_000));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.includes(code)) ?? '';
}

/** The key that the page for a new device shows. */
export function keyOf(html: string): string {
  return (/<p class="key"><code>([A-Z2-7 ]+)<\/code>/.exec(html)?.[1] ?? '').replace(/ /g, '');
}

/** The recovery codes that a page shows. */
export function recoveryCodesOf(html: string): string[] {
  return [...html.matchAll(/<li><code>([\da-z]{5}-[\da-z]{5})<\/code>/g)].map(([, code = '']) => code);
}

export interface TestDevice {
  readonly id: number;
  readonly secret: string;
  /** The code of now. */
  code(): string;
  wrong(): string;
}

/** Gives a user a device that counts at once. */
export async function giveDevice(app: TestApp, user: Pick<UserRecord, 'id'>): Promise<TestDevice> {
  const { services, account } = app;
  const { device, setup } = await startEnrolment(services, account, user.id, {
    kind: 'totp',
    name: 'Phone',
    expiresInSeconds: 120,
    verified: true,
  });
  return {
    id: device.id,
    secret: setup.secret,
    code: () => codeAt(setup.secret, services.clock.now()),
    wrong: () => wrongCode(setup.secret, services.clock.now()),
  };
}

/** Types wrong codes until none of the user is checked any more. */
export async function closeCodes({ services, account }: TestApp, user: UserRecord, device: TestDevice): Promise<void> {
  const attempt = { code: device.wrong(), deviceId: null };
  for (let count = 0; count < 10; count += 1) await useCode(services, account, user, attempt, async () => {});
}

/** Gives a user with a device new recovery codes, without the page. Throws `not_found` for a user without one. */
export function giveCodes({ services, account }: TestApp, { id }: Pick<UserRecord, 'id'>): Promise<readonly string[]> {
  return services.store.transaction(async (tx) => {
    const user = await tx.users.lock(account.id, id);
    if (!user) throw new Error('there is no user');
    return replaceRecoveryCodes(services, tx, account, user, { type: 'user', id });
  });
}
