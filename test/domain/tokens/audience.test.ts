/** For which of a client's APIs a token is. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { chooseServer, chooseServerOfGrant, serversOfGrant } from '../../../src/domain/tokens/audience.ts';
import type { LinkedServer } from '../../../src/store/authorization-servers.ts';
import { thrownBy } from '../subject.ts';

function server(id: number, linkedAt: number | null, ...scopes: string[]): LinkedServer {
  const linked = { linkedAt, scopes: scopes.map((value) => ({ value })) };
  // Only the members that are read.
  return { ...linked, server: { id, resourceIdentifier: `https://api-${id}.example` } } as unknown as LinkedServer;
}

const orders = server(1, 100, 'read', 'write');
const stock = server(2, 200, 'read', 'count');
const both = [orders, stock];
const asked = { resource: null, scope: null };

it('is the named one, else the first that has a requested scope, else the first', () => {
  assert.equal(chooseServer(both, { ...asked, resource: 'https://api-2.example' }), stock);
  assert.equal(chooseServer(both, { ...asked, scope: ['count'] }), stock);
  assert.equal(chooseServer(both, asked), orders);
  assert.equal(chooseServer([], asked), null);
  const other = { ...asked, resource: 'https://api-3.example' };
  assert.equal(
    thrownBy(() => chooseServer(both, other)),
    'target_invalid resource',
  );
});

it("is the grant's if it is for one only, and none once its client is no longer linked to it", () => {
  assert.equal(chooseServerOfGrant(both, 2, asked), stock);
  assert.equal(chooseServerOfGrant(both, null, asked), orders);
  assert.equal(
    thrownBy(() => chooseServerOfGrant([orders], 2, asked)),
    'grant_invalid',
  );
  const other = { ...asked, resource: 'https://api-1.example' };
  assert.equal(
    thrownBy(() => chooseServerOfGrant(both, 2, other)),
    'target_invalid resource',
  );
});

it('is one that the client has by consent only where the grant is for it', () => {
  const open = server(3, null, 'read', 'count');
  const all = [...both, open];
  const named = { ...asked, resource: 'https://api-3.example' };
  assert.equal(chooseServerOfGrant(all, 3, asked), open);
  assert.equal(chooseServerOfGrant(all, 3, named), open);
  assert.equal(chooseServerOfGrant([open], null, asked), null);
  for (const serverId of [null, 2]) {
    assert.equal(
      thrownBy(() => chooseServerOfGrant(all, serverId, named)),
      'target_invalid resource',
    );
  }
});

it('is the one of several resources that is known; two are none', () => {
  const naming = (...ids: number[]) => ({ ...asked, resource: ids.map((id) => `https://api-${id}.example`).join(' ') });
  assert.equal(chooseServer(both, naming(7, 2, 8)), stock);
  assert.equal(chooseServerOfGrant(both, 2, naming(7, 2)), stock);
  for (const choose of [
    () => chooseServer(both, naming(1, 2)),
    () => chooseServer(both, naming(7, 8)),
    () => chooseServerOfGrant(both, 2, naming(1, 2)),
  ]) {
    assert.equal(thrownBy(choose), 'target_invalid resource');
  }
});

it('a grant gives at each audience what its user allowed there', () => {
  const scopesAt = (grant: Parameters<typeof serversOfGrant>[1]) =>
    serversOfGrant(both, grant).map(({ scopes }) => scopes.map(({ value }) => value));
  const grant = { serverId: null, apiScopes: ['read 1', 'count 2'], createdAt: 150 };
  assert.deepEqual(scopesAt(grant), [['read'], ['count']]);
  // What an older release made is for those that were linked by then.
  assert.deepEqual(scopesAt({ ...grant, apiScopes: null }), [['read', 'write'], []]);
  assert.deepEqual(scopesAt({ ...grant, serverId: 2 }), [
    ['read', 'write'],
    ['read', 'count'],
  ]);
});
