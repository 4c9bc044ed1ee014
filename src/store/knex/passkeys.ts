import type { Knex } from 'knex';
import type { PasskeyRecord, PasskeyStore, StoredPasskey } from '../passkeys.ts';
import { refersToPresent } from './removed.ts';
import { devices } from './second-factors.ts';
import { type DbRow, flag, json, shape } from './shape.ts';
import { together } from './transact.ts';

const passkeys = shape<PasskeyRecord>('passkeys', null, {
  accountId: 'account_id',
  deviceId: 'device_id',
  credentialId: 'credential_id',
  counter: 'counter',
  transports: json('transports'),
  backupEligible: flag('backup_eligible'),
  backedUp: flag('backed_up'),
});

const readDevice = devices.reader('device_');
const readPasskey = passkeys.reader('passkey_');

function read(row: DbRow): StoredPasskey {
  return { device: readDevice(row), passkey: readPasskey(row) };
}

export function passkeyVerbs(db: Knex): PasskeyStore {
  const stored = (accountId: number) =>
    db('passkeys as p')
      .join('factor_devices as d', (join) => join.on('d.account_id', 'p.account_id').on('d.id', 'p.device_id'))
      .where('p.account_id', accountId)
      .whereRaw(refersToPresent('d', 'user_id'))
      .select([...devices.select('d', 'device_'), ...passkeys.select('p', 'passkey_')]);
  return {
    create: async (passkey) => {
      await db('passkeys').insert(passkeys.write(passkey));
    },
    findByCredential: async (accountId, credentialId) => {
      const row: DbRow | undefined = await stored(accountId).where('p.credential_id', credentialId).first();
      return row ? read(row) : null;
    },
    list: async (accountId, userId) => {
      const rows: DbRow[] = await stored(accountId).where('d.user_id', userId).orderBy('d.id');
      return rows.map(read);
    },
    use: (accountId, deviceId, { counter, backedUp }, at) =>
      together(db, async (tx) => {
        // The counter must have grown, or there are two copies of the authenticator (WebAuthn Level 3 §6.1.1).
        const used = await tx('passkeys')
          .where({ account_id: accountId, device_id: deviceId })
          .where((said) => said.where('counter', '<', counter).orWhere({ counter: 0 }))
          .update({ counter, backed_up: backedUp ? 1 : 0 });
        if (used !== 1) return false;
        await tx('factor_devices').where({ account_id: accountId, id: deviceId }).update({ last_used_at: at });
        return true;
      }),
    useChallenge: async (accountId, digest, expiresAt) => {
      const challenge = { account_id: accountId, digest, expires_at: expiresAt };
      const made = await db('passkey_challenges').insert(challenge).onConflict().ignore().returning('digest');
      return made.length === 1;
    },
  };
}
