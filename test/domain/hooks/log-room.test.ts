/** What one account's hooks write is bounded: by the minute, and altogether. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { execute, readTable } from '../../support/rows.ts';
import { assertRefused } from '../../surfaces/api-2/managing.ts';
import { onApps } from './on-apps.ts';
import { stage } from './stage.ts';

/** 60 KB that no database makes shorter. */
const noise = `for (let line = 0; line < 20; line += 1) {
  let text = '';
  while (text.length < 3000) text += Math.random().toString(36).slice(2);
  console.log(text.slice(0, 3000));
}`;

onApps('the room for logs of hooks', (app) => {
  it('beyond its share of a minute an account keeps how runs ended, not what they wrote (M4)', async () => {
    using _ = app().services.clock.hold();
    const on = await stage(app(), { hook_log_megabytes: '100' });
    const quiet = await stage(app(), { hook_log_megabytes: '100' });
    const loud = await on.hook(noise);
    for (let more = 0; more < 5; more += 1) await on.hook(noise);
    // Six runs each time, of which about fifteen fit into a million bytes.
    for (let turn = 0; turn < 4; turn += 1) assert.equal(await on.status(), 0);
    const stored = await readTable(on.app.url, 'hook_executions');
    const written = stored.filter((row) => Number(row['account_id']) === on.app.account.id);
    const bytes = written.map((row) => Number(row['bytes'])).filter((size) => size > 10_000);
    assert.ok(bytes.length > 10 && bytes.length < 18, `${bytes.length} runs are kept with their lines`);
    assert.ok(bytes.reduce((total, size) => total + size, 0) <= 1_000_000);
    const short = (await on.logs(loud)).find((run) => run.events.length === 1);
    assert.ok(short);
    assert.equal(short.outcome, 'success');
    assert.match(
      short.events[0] ?? '',
      new RegExp(
        `\t${short.request_id}\tWARN\t20 lines and the context not kept: logs of this account are bounded by 1 MB a minute \\(a hundredth of hook_log_megabytes\\)`,
      ),
    );
    const replayed = await on.api.call('POST', `/hooks/${loud}/logs/${short.request_id}/replay`, {});
    assertRefused(replayed, 422, /its context was not kept/);

    const failing = await on.hook(`${noise} throw new Error('of no use');`);
    await on.status();
    const [failed] = await on.logs(failing);
    assert.equal(failed?.outcome, 'error');
    assert.ok(
      failed.events.some((line) => line.includes('ERROR\tError: of no use')),
      'why it failed is kept',
    );
    assert.ok(failed.events.join('').length < 6_500);

    const other = await quiet.hook(noise);
    assert.equal(await quiet.status(), 0);
    assert.equal((await quiet.logs(other))[0]?.events.length, 20, 'another account has its own share');
    on.app.services.clock.advance(60_000);
    await on.api.done(202, 'DELETE', `/hooks/${failing}`);
    assert.equal(await on.status(), 0);
    const runs = await on.logs(loud);
    assert.equal(runs[0]?.events.length, 20, 'the next minute has one again');
  });

  it('where the room is full the oldest runs go, and lines are dropped until they have gone', async () => {
    const on = await stage(app(), { hook_log_megabytes: '100' });
    const id = await on.hook('console.log("hello");');
    assert.equal(await on.status(), 0);
    const { url, account } = on.app;
    const [before] = await on.logs(id);
    const count = (sql: string) =>
      execute(url, `update hook_log_sizes set bytes = ${sql} where account_id = ${account.id}`);
    const [counted] = (await readTable(url, 'hook_log_sizes')).filter(
      (row) => Number(row['account_id']) === account.id,
    );
    await count('100000000');
    assert.equal(await on.status(), 0);
    const [after, ...others] = await on.logs(id);
    assert.deepEqual([others, after?.events.length], [[], 1]);
    const said = () => on.app.services.lines.filter(({ event }) => event === 'hook runs deleted early');
    assert.deepEqual(
      said().map(({ level, account: of }) => [level, of]),
      [['warn', account.subdomain]],
    );
    assert.notEqual(after?.request_id, before?.request_id);
    assert.match(
      after?.events[0] ?? '',
      /hello|logs of this account are bounded by 100 MB \(hook_log_megabytes\), and are being deleted/,
    );
    await count('200000000');
    assert.equal(await on.status(), 0);
    const [full] = await on.logs(id);
    assert.match(full?.events[0] ?? '', /1 line and the context not kept: logs of this account are bounded by 100 MB/);
    assert.equal(said().length, 1, 'once an hour');
    await count(String(counted?.['bytes']));
    assert.equal(await on.status(), 0);
    assert.match((await on.logs(id))[0]?.events[0] ?? '', /hello/);
  });
});
