/** The grammar of `DATABASE_URL`: which hosts it names, and what it must not say. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDatabaseUrl, readPostgresUrl, withoutSecrets } from '../../src/store/database-url.ts';

const writer = 'target_session_attrs=read-write';

describe('the URL of a database', () => {
  test('with one host goes to the driver as it is, and any server will do', () => {
    for (const url of [
      'postgres://gatehouse:secret@db/gatehouse',
      'postgresql://db:6432/gatehouse?sslmode=verify-full',
      'postgres://[2001:db8::1]:5432/gatehouse',
      'postgres:///gatehouse?host=/var/run/postgresql',
    ]) {
      const { hosts, mustWrite } = readPostgresUrl(url) ?? assert.fail(url);
      assert.deepEqual([hosts.map((host) => host.url), mustWrite], [[url], false]);
    }
  });

  test('with one host and the demand for writes is the same without it', () => {
    assert.deepEqual(readPostgresUrl(`postgres://u:p@db:5432/g?${writer}&sslmode=verify-full`), {
      hosts: [{ name: 'db:5432', url: 'postgres://u:p@db:5432/g?sslmode=verify-full' }],
      mustWrite: true,
    });
    assert.deepEqual(readPostgresUrl('postgres://db/g?target_session_attrs=any'), {
      hosts: [{ name: 'db', url: 'postgres://db/g' }],
      mustWrite: false,
    });
  });

  test('with several hosts is one URL for each, and one of them must take writes', () => {
    const hosts = ['db-1.example.com:5432', '10.0.0.2', '[fd00::3]:6432'];
    const each = hosts.map((name) => ({ name, url: `postgres://u:p%2C%40@${name}/g?sslmode=verify-full` }));
    for (const said of ['', `&${writer}`]) {
      const url = `postgres://u:p%2C%40@${hosts.join(',')}/g?sslmode=verify-full${said}`;
      assert.deepEqual(readPostgresUrl(url), { hosts: each, mustWrite: true });
    }
  });

  for (const [what, url] of Object.entries({
    'another scheme': 'mysql://db/g',
    'no host between two commas': 'postgres://a,,b/g',
    'a port that is none': 'postgres://a:5432,b:65536/g',
    'port 0': 'postgres://a:0,b/g',
    'a port in words': 'postgres://a:five,b/g',
    'a space': 'postgres://a, b/g',
    'an address without brackets': 'postgres://fd00::3,b/g',
    'more than 16 hosts': `postgres://${Array.from({ length: 17 }, (_, index) => `h${index}`).join(',')}/g`,
    'hosts in two places': 'postgres://a,b/g?host=c',
    'several hosts in the query': 'postgres:///g?host=a,b',
    'any of several hosts': 'postgres://a,b/g?target_session_attrs=any',
    'a server that only reads': 'postgres://a/g?target_session_attrs=standby',
    'two demands': `postgres://a/g?${writer}&${writer}`,
  })) {
    test(`is refused: ${what}`, () => {
      assert.equal(readPostgresUrl(url), null);
      assert.equal(isDatabaseUrl(url), false);
    });
  }

  test('is shown without user, password and parameters', () => {
    assert.equal(withoutSecrets('postgres://u:p@a:1,b:2/g?password=q'), 'postgres://a:1,b:2/g');
    assert.equal(withoutSecrets('postgresql://u:p@db/g'), 'postgres://db/g');
    assert.equal(withoutSecrets('sqlite:data/g.db'), 'sqlite:data/g.db');
  });
});
