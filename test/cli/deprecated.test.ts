import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Installation, installMigrated } from '../support/process.ts';
import { openAccount } from '../support/running-account.ts';

describe('deprecated report', () => {
  let installation: Installation;
  let subdomain: string;
  before(async () => {
    installation = await installMigrated('sqlite');
    const service = await installation.serve();
    const account = await openAccount(service, [
      'sunset.api-v1=2027-06-30',
      'surface.xml=off',
      'limit.delegated=2/min',
    ]);
    ({ subdomain } = account);
    const { cli } = installation;
    const options = ['--account', subdomain];
    const [portal, other] = [
      await cli('api-key', 'create', ...options, '--name', 'portal'),
      await cli('api-key', 'create', ...options, '--name', 'an older one'),
    ];
    const { email } = await account.makeUser();
    const path = '/api/v1/delegated_auth';
    for (const host of [account.host, account.host, `api.localhost:${installation.port}`]) {
      await account.send('GET', `${path}?api_key=${portal.api_key}&email=${email}&password=wrong`, { host });
    }
    await account.send('POST', '/api/v3/invites/get_invite_link', { json: { api_key: other.api_key, email } });
    await account.send('GET', `${path}?api_key=unknown`);
    await cli('api-key', 'revoke', ...options, String(other.id), '--yes');
    account.close();
    await service.stop();
  });
  after(() => installation.dispose());

  test('lists callers, operations, counts, last use and replacements, also for revoked keys', async () => {
    const report = await installation.cli('deprecated', 'report', '--account', subdomain);
    const today = new Date().toISOString().slice(0, 10);
    const [invite, delegated, ...more] = report.calls;
    assert.deepEqual(more, []);
    for (const one of [invite, delegated]) {
      assert.ok(Math.abs(Date.parse(one.last_called_at) - Date.now()) < 600_000);
      assert.equal(one.by_day.length, 1);
    }
    const { last_called_at: _, by_day: days, ...rest } = delegated;
    assert.deepEqual(rest, {
      api_key: { id: 1, name: 'portal' },
      surface: 'api-v1',
      call: 'GET /api/v1/delegated_auth',
      successor: 'GET /oauth2/authorize',
      // The last was over the limit, and counts: it is a call that somebody makes.
      calls: 3,
      events: 'GET /api/2/events?actor=API:1',
    });
    assert.ok([today, new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)].includes(days[0].day));
    assert.equal(days[0].calls, 3);
    assert.deepEqual(invite.api_key, { id: 2, name: 'an older one' });
    assert.deepEqual([invite.calls, invite.successor], [1, 'POST /api/1/invites/get_invite_link']);
    assert.deepEqual(report.surfaces, [
      { surface: 'api-v1', answers: true, off_from: null, sunset: '2027-06-30T00:00:00.000Z' },
      { surface: 'api-v3', answers: true, off_from: null, sunset: null },
      { surface: 'xml', answers: false, off_from: null, sunset: null },
    ]);
  });

  test('prints text as well, and refuses an invalid number of days', async () => {
    const { stdout, exitCode } = await installation.run(['deprecated', 'report', '--account', subdomain]);
    assert.equal(exitCode, 0);
    assert.match(stdout, /^GET \/api\/v1\/delegated_auth +1 portal +3 +1 +20\S+Z +GET \/oauth2\/authorize$/m);
    for (const days of ['0', 'x', '-1', '10000']) {
      const report = ['deprecated', 'report', '--account', subdomain, '--days', days];
      assert.notEqual((await installation.ask(report)).exitCode, 0, days);
    }
  });
});
