/** X7, R6: no secret is logged or stored in plain text, however it came in and whatever failed. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Installation, installMigrated, type Service } from '../support/process.ts';
import { dump } from '../support/rows.ts';
import { openAccount, type RunningAccount } from '../support/running-account.ts';
import { sampled, sampledDatabases } from '../support/sample.ts';
import { breakTables, type Carried, carriedThrough, type Secrets, sendAll, sendUnreadable } from './canary.ts';
import { plant } from './canary-plant.ts';

/** What a line of the log may hold (`src/adapters/log.ts`), and nothing else. */
const allowedFields = new Set([
  ...['level', 'time', 'event', 'requestId', 'account', 'method', 'route', 'operation', 'status', 'milliseconds'],
  ...['failure', 'reason', 'appId', 'userId', 'grantId', 'count', 'port', 'host', 'version', 'signal', 'stack'],
]);

/**
 * What is about a person or a request, or what a function says, and no secret: it is stored, but never written to the
 * log.
 */
const personal = ['email', 'username', 'firstname', 'state', 'nonce', 'console_output', 'function_source'];
const metricsToken = 'canary-metrics-token-1d9f';
/** SQLite's index of texts has tables that nobody may rename. */
const isOfIndex = /^user_search(_|$)/;
/** The tables that an account is found by stay. */
const kept = ['accounts', 'account_hosts', 'facts', 'signing_keys', 'sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'];

for (const database of sampledDatabases) {
  describe(`a canary on ${database}`, () => {
    let installation: Installation;
    let service: Service;
    let account: RunningAccount;
    let secrets: Secrets;
    let wellFormed: readonly Carried[];
    before(async () => {
      installation = await installMigrated(database, { LOG_LEVEL: 'debug', METRICS_TOKEN: metricsToken });
      service = await installation.serve();
      const names = ['sign-in', 'client-auth', 'register', 'register-open', 'delegated', 'invite', 'hooks', 'api-2'];
      const limits = names.map((name) => `limit.${name}=off`);
      account = await openAccount(service, ['grant.password=on', ...limits]);
      const planted = await plant(account, installation);
      wellFormed = planted.wellFormed;
      secrets = { ...planted.secrets, metrics_token: metricsToken };
    });
    after(async () => {
      account.close();
      await installation.dispose();
    });

    it('R6: the database holds no secret in plain text', async () => {
      const stored = await dump(installation.databaseUrl);
      assert.deepEqual(findIn(stored, omit(secrets, personal)), []);
    });

    it('X7: every route, with the secrets in each place of a request', async () => {
      const statuses = await sendAll(account.wire, sampled(carriedThrough(secrets), 19));
      assert.equal(statuses.get(500), undefined);
      await sendUnreadable(service.port, account.host, secrets);
    });

    it('X7: the same while the database is broken', async () => {
      const stored = JSON.parse(await dump(installation.databaseUrl));
      const tables = Object.keys(stored).filter((table) => !kept.includes(table) && !isOfIndex.test(table));
      await breakTables(installation.databaseUrl, tables);
      // Well-formed ones get as far as the database; so do some of the others.
      const statuses = await sendAll(account.wire, [...wellFormed, ...sampled(carriedThrough(secrets), 23)]);
      assert.ok((statuses.get(500) ?? 0) >= wellFormed.length, 'errors inside the service were provoked');
    });

    it('X7: the output contains no secret; each line is JSON and has allowed fields only', async () => {
      await service.stop();
      const output = service.output();
      const lines = output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.ok(
        lines.some(({ event, stack }) => event === 'internal error' && stack),
        'stacks were logged',
      );
      const surplus = lines.flatMap((line) => Object.keys(line)).filter((name) => !allowedFields.has(name));
      assert.deepEqual(surplus, []);
      assert.deepEqual(findIn(output, secrets), []);
    });
  });
}

function omit(secrets: Secrets, names: readonly string[]): Secrets {
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => !names.includes(name)));
}

/** Names of the secrets that a text contains, verbatim or in the encodings that requests use. */
function findIn(text: string, secrets: Secrets): string[] {
  return Object.entries(secrets)
    .filter(([name, secret]) => {
      assert.ok(secret.length >= 8, `${name} is too short to be looked for`);
      // Of tokens the random part alone: the log cuts what looks like a whole one.
      const forms = [secret, encodeURIComponent(secret), secret.slice(-20), JSON.stringify(secret).slice(1, -1)];
      const encodings = [Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('base64url')];
      return [...forms, ...encodings.map((form) => form.slice(0, -4))].some((form) => text.includes(form));
    })
    .map(([name]) => name);
}
