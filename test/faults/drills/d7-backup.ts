import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { install } from '../../support/process.ts';
import { openAccount } from '../../support/running-account.ts';
import { redeem, registerClient, signInForCode, type Tokens } from '../../support/sign-in.ts';
import { until } from '../../support/until.ts';
import { acknowledge, countMissing, isWhole, keepWriting, restore } from '../backup.ts';
import type { Drill, DrillOptions, DrillResult } from '../drill.ts';

const sessionCount = 8;
/** So many are registered in a round before its backup begins. */
const clientsBefore = 500;

/** D7: `db backup` while clients register and refresh; the copy is restored into an empty folder. */
export const drill: Drill = {
  id: 'D7',
  title: 'backup under load, restored into an empty folder: complete, with everything from before it',
  rounds: 10,
  // test/faults/backup.test.ts takes one under load, on either database.
  quickRounds: null,
  run,
};

async function run({ rounds }: DrillOptions): Promise<DrillResult> {
  const installation = await install('sqlite');
  try {
    const service = await installation.serve();
    const account = await openAccount(service, ['limit.register=off', 'limit.client-auth=off', 'limit.sign-in=off']);
    const client = await registerClient(account);
    const user = await account.makeUser(client.app_id);
    const tokens: Tokens[] = [];
    while (tokens.length < sessionCount) {
      tokens.push(await redeem(account, client, (await signInForCode(account, client, user)).get('code') ?? ''));
    }
    const bearer = await account.bearer('register_clients');
    const acknowledged = acknowledge(tokens);
    const figures = { missing: 0, damaged: 0, failedSignIns: 0, backup: 0, restore: 0, megabytes: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const before = acknowledged.clients.length;
      const load = keepWriting(account, client, acknowledged, bearer);
      await until(() => acknowledged.clients.length >= before + clientsBefore);
      const file = join(installation.folder, `backup-${round}.db`);
      const beganAt = performance.now();
      await installation.cli('db', 'backup', file);
      figures.backup = Math.max(figures.backup, performance.now() - beganAt);
      await load.stop();
      figures.megabytes = statSync(file).size / 2 ** 20;
      if (!isWhole(file)) figures.damaged += 1;
      const restored = await restore(account, file);
      const missing = await countMissing(restored, client, acknowledged, beganAt);
      figures.missing += missing.clients + missing.sessions;
      figures.restore = Math.max(figures.restore, restored.seconds);
      const code = await signInForCode(restored.account, client, user).then((query) => query.get('code'));
      if (!code) figures.failedSignIns += 1;
      await restored.dispose();
      rmSync(file);
    }
    account.close();
    return {
      figures: {
        backups: rounds,
        'registrations and refreshes meanwhile':
          acknowledged.clients.length + acknowledged.sessions.reduce((count, { length }) => count + length - 1, 0),
        'acknowledged before a backup began and not in it (recovery point)': figures.missing,
        'backups not whole': figures.damaged,
        'sign-ins that failed after a restore': figures.failedSignIns,
        'seconds for a backup, at most': Math.round(figures.backup) / 1000,
        'seconds from backup file to ready, at most (recovery time)': Math.round(figures.restore * 1000) / 1000,
        'megabytes of the last backup': Math.round(figures.megabytes * 10) / 10,
      },
      holds: figures.missing + figures.damaged + figures.failedSignIns === 0,
    };
  } finally {
    await installation.dispose();
  }
}
