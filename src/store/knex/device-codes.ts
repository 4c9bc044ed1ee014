import type { Knex } from 'knex';
import type { DeviceCodeStore } from '../device-codes.ts';
import { deviceCodes } from './client-rows.ts';
import { inFlight } from './in-flight.ts';

/** RFC 8628 §3.5: the interval grows by this much for a device that polls too early, up to the maximum below. */
const slowerSeconds = 5;
const mostSeconds = 60;
/** Two polls may be slightly closer together here than they were at the device. */
const jitterMilliseconds = 1_000;

export function deviceCodeVerbs(db: Knex): DeviceCodeStore {
  const one = (accountId: number, digest: string) => db('device_codes').where({ account_id: accountId, digest });
  const next = (now: number, seconds: string) =>
    db.raw(`cast(? as bigint) + (${seconds}) * 1000 - ${jitterMilliseconds}`, [now]);
  return {
    create: async (code) => {
      await db('device_codes').insert(deviceCodes.write(code));
    },
    find: async (accountId, digest) => {
      const row = await one(accountId, digest).first();
      return row ? deviceCodes.read(row) : null;
    },
    findByUserCode: async (accountId, userCodeDigest) => {
      const row = await db('device_codes').where({ account_id: accountId, user_code_digest: userCodeDigest }).first();
      return row ? deviceCodes.read(row) : null;
    },
    decide: async (accountId, digest, decision, now) => {
      const waiting = one(accountId, digest).whereNull('decision').where('expires_at', '>', now);
      return (await waiting.update(deviceCodes.write(decision))) === 1;
    },
    poll: async (accountId, digest, now) => {
      const inTime = one(accountId, digest).where('next_poll_at', '<=', now);
      if ((await inTime.update({ next_poll_at: next(now, 'interval_seconds') })) === 1) return true;
      const slower = `case when interval_seconds + ${slowerSeconds} > ${mostSeconds} then ${mostSeconds} else interval_seconds + ${slowerSeconds} end`;
      await one(accountId, digest).update({ interval_seconds: db.raw(slower), next_poll_at: next(now, slower) });
      return false;
    },
    consume: async (accountId, digest, now) =>
      (await one(accountId, digest).where('decision', 'allow').where('expires_at', '>', now).delete()) === 1,
    endAllowed: async (accountId, whose) => {
      await inFlight(db, 'device_codes', accountId, whose).where('decision', 'allow').update({ decision: 'deny' });
    },
  };
}
