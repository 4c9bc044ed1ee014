import type { Knex } from 'knex';
import type { FactorDeviceRecord, FactorVerificationRecord, SecondFactorStore } from '../second-factors.ts';
import { fixedSelect, readRows } from './fixed-reads.ts';
import { shape } from './shape.ts';
import { together } from './transact.ts';

export const devices = shape<FactorDeviceRecord>('factor_devices', 'id', {
  accountId: 'account_id',
  id: 'id',
  userId: 'user_id',
  kind: 'kind',
  name: 'name',
  enrolmentId: 'registration_id',
  sealedSecret: 'sealed_secret',
  lastStep: 'last_step',
  lastUsedAt: 'last_used_at',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
  acceptedAt: 'accepted_at',
});

const verifications = shape<FactorVerificationRecord>('factor_verifications', null, {
  accountId: 'account_id',
  id: 'id',
  userId: 'user_id',
  deviceId: 'device_id',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
  acceptedAt: 'accepted_at',
});

const accepted = fixedSelect(
  devices,
  'factor-devices-accepted',
  'account_id = ? and user_id = ? and accepted_at is not null order by id',
);

type DeviceVerb =
  | 'createDevice'
  | 'findEnrolment'
  | 'listDevices'
  | 'countDevices'
  | 'acceptDevice'
  | 'useStep'
  | 'renameDevice'
  | 'removeDevice';
type CodeVerb = 'replaceRecoveryCodes' | 'useRecoveryCode' | 'countRecoveryCodes';
type AttemptVerb = 'countAttempt' | 'clearAttempts' | 'findClosedUntil';

function deviceVerbs(db: Knex): Pick<SecondFactorStore, DeviceVerb> {
  const ofUser = (accountId: number, userId: number) =>
    db('factor_devices').where({ account_id: accountId, user_id: userId });
  return {
    createDevice: async (device) => {
      const [row] = await db('factor_devices').insert(devices.write(device)).returning('*');
      return devices.read(row);
    },
    findEnrolment: async (accountId, userId, enrolmentId) => {
      const row = await ofUser(accountId, userId).where('registration_id', enrolmentId).first();
      return row ? devices.read(row) : null;
    },
    listDevices: async (accountId, userId) => {
      const found = await readRows(db, accepted, accountId, userId);
      return found.map(devices.read);
    },
    countDevices: async (accountId, userId, now) => {
      const live = ofUser(accountId, userId).where((one) =>
        one.whereNull('expires_at').orWhere('expires_at', '>', now),
      );
      const [counted] = await live.count({ number: '*' });
      return Number(counted?.['number']);
    },
    acceptDevice: async (accountId, id, step, at) => {
      const waiting = db('factor_devices').where({ account_id: accountId, id }).whereNull('accepted_at');
      const changes = { accepted_at: at, expires_at: null, last_step: step };
      return (await waiting.where('expires_at', '>', at).update(changes)) === 1;
    },
    // One statement: of two requests with the same code, one is too late.
    useStep: async (accountId, id, step, at) => {
      const device = db('factor_devices').where({ account_id: accountId, id }).whereNotNull('accepted_at');
      return (await device.where('last_step', '<', step).update({ last_step: step, last_used_at: at })) === 1;
    },
    renameDevice: async (accountId, userId, id, name) =>
      (await ofUser(accountId, userId).where('id', id).whereNotNull('accepted_at').update({ name })) === 1,
    removeDevice: async (accountId, userId, id) =>
      (await ofUser(accountId, userId).where('id', id).whereNotNull('accepted_at').delete()) === 1,
  };
}

/** Like the counter of wrong passwords; the first attempt creates its row. */
function attemptVerbs(db: Knex): Pick<SecondFactorStore, AttemptVerb> {
  return {
    countAttempt: async ({ accountId, userId, now, maximum, lockedUntil }) => {
      const attempt = { account_id: accountId, user_id: userId };
      const first = { attempts: 1, locked_until: maximum <= 1 ? lockedUntil : null };
      // The stored values: a pause that has passed restarts the count.
      const count = 'case when factor_attempts.locked_until is null then factor_attempts.attempts + 1 else 1 end';
      const [counted] = await db('factor_attempts')
        .insert({ ...attempt, ...first })
        .onConflict(['account_id', 'user_id'])
        .merge({
          attempts: db.raw(count),
          locked_until: db.raw(`case when ${count} >= cast(? as integer) then cast(? as bigint) end`, [
            maximum,
            lockedUntil,
          ]),
        })
        .whereRaw('(factor_attempts.locked_until is null or factor_attempts.locked_until <= ?)', [now])
        .returning('locked_until');
      if (!counted) return null;
      return counted.locked_until === null ? 'counted' : 'last';
    },
    clearAttempts: async (accountId, userId) => {
      await db('factor_attempts')
        .where({ account_id: accountId, user_id: userId })
        .update({ attempts: 0, locked_until: null });
    },
    findClosedUntil: async (accountId, userId) => {
      const row = await db('factor_attempts').where({ account_id: accountId, user_id: userId }).first('locked_until');
      return row?.locked_until ?? null;
    },
  };
}

function recoveryCodeVerbs(db: Knex): Pick<SecondFactorStore, CodeVerb> {
  return {
    replaceRecoveryCodes: (accountId, userId, digests) =>
      together(db, async (tx) => {
        const codes = digests.map((digest) => ({ account_id: accountId, user_id: userId, digest }));
        await tx('recovery_codes').where({ account_id: accountId, user_id: userId }).delete();
        if (codes.length > 0) await tx('recovery_codes').insert(codes);
      }),
    useRecoveryCode: async (accountId, userId, digest, at) => {
      const code = db('recovery_codes').where({ account_id: accountId, user_id: userId, digest });
      return (await code.whereNull('used_at').update({ used_at: at })) === 1;
    },
    countRecoveryCodes: async (accountId, userId) => {
      const unused = db('recovery_codes').where({ account_id: accountId, user_id: userId }).whereNull('used_at');
      const [counted] = await unused.count({ number: '*' });
      return Number(counted?.['number']);
    },
  };
}

export function secondFactorVerbs(db: Knex): SecondFactorStore {
  return {
    ...deviceVerbs(db),
    ...attemptVerbs(db),
    ...recoveryCodeVerbs(db),
    createVerification: async (verification) => {
      await db('factor_verifications').insert(verifications.write(verification));
    },
    findVerification: async (accountId, userId, id) => {
      const row = await db('factor_verifications').where({ account_id: accountId, user_id: userId, id }).first();
      return row ? verifications.read(row) : null;
    },
    acceptVerification: async (accountId, id, at) => {
      const waiting = db('factor_verifications').where({ account_id: accountId, id }).whereNull('accepted_at');
      return (await waiting.where('expires_at', '>', at).update({ accepted_at: at })) === 1;
    },
  };
}
