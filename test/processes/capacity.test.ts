/** The first process warns of a database that has too few connections for all. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../../src/adapters/log.ts';
import { warnOfConnections } from '../../src/open-store.ts';
import { doubtConnections } from '../../src/store/knex/capacity.ts';
import { readMostConnections } from '../../src/store/knex/postgres/capacity.ts';
import { postgresUrl } from '../support/postgres.ts';

describe('connections of several processes', () => {
  it('are as many as max_connections must be, with one process more and ten connections for others', async () => {
    const url = postgresUrl();
    assert.equal(await readMostConnections(url), 200);
    // 14 x 13 + 10 is 192, and 14 x 14 + 10 is 206.
    assert.equal(await doubtConnections(url, 'session', 12), null);
    assert.match((await doubtConnections(url, 'session', 13)) ?? '', /is 200, and --processes 13 needs 206: raise it/);
    assert.equal(await doubtConnections(url, 'transaction', 13), null);
    assert.equal(await doubtConnections('sqlite:gatehouse.db', 'session', 13), null);
  });

  it('are warned of where there are too few, and not where the database does not answer', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
    const said = async (databaseUrl: string, processes: number) => {
      await warnOfConnections({ databaseUrl, databasePooling: 'session' }, processes, log);
      return lines.splice(0).join('');
    };
    assert.match(await said(postgresUrl(), 13), /"level":"warn".*max_connections.*"event":"settings"/);
    assert.equal(await said(postgresUrl(), 12), '');
    assert.equal(await said('postgres://u:p@127.0.0.1:9/x', 13), '');
  });
});
