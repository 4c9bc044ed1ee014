import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Wire } from '../support/wire.ts';
import { assertFewRefreshedAgain, type Nodes, tryRefresh } from './nodes.ts';

it('a refresh that was asked for again counts once for each 503, and a fault that many meet is not hidden', async () => {
  const statuses: number[] = [];
  const answered = { headers: {}, text: '', calledAt: 0, answeredAt: 0 };
  const send: Wire['send'] = async () => ({
    ...answered,
    status: statuses.shift() ?? 200,
    body: { refresh_token: 'rt' },
  });
  const client = { client_id: 'id', client_secret: 'secret', app_id: 1, token_endpoint_auth_method: 'none' };
  const nodes = { client, wires: [{ send }], refreshes: { count: 0, sentAgain: [] } } as unknown as Nodes;
  statuses.push(503, 503);
  assert.equal((await tryRefresh(nodes, 'rt', '/oidc/2/token')).outcome, 'success');
  assert.deepEqual(nodes.refreshes, { count: 1, sentAgain: ['/oidc/2/token: 503', '/oidc/2/token: 503'] });
  assertFewRefreshedAgain(nodes, 2);
  statuses.push(503);
  await tryRefresh(nodes, 'rt', '/oidc/2/token');
  assert.throws(() => assertFewRefreshedAgain(nodes, 2), /3 of 2 requests were sent again/);
  statuses.push(503, 503, 503);
  await assert.rejects(tryRefresh(nodes, 'rt', '/oidc/2/token'), /answered 503/);
});
