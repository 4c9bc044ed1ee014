/** For which of a client's APIs a token is. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { chooseServer, chooseServerOfGrant, serversOfGrant, targetFault } from '../../../src/domain/tokens/audience.ts';
import { targetOf } from '../../../src/domain/tokens/target.ts';
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

/** A list that counts how often one of its items is read. */
function counted(items: readonly string[]): { readonly list: readonly string[]; readonly reads: () => number } {
  let reads = 0;
  const list = new Proxy(items, {
    get(target, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  return { list, reads: () => reads };
}

it('nothing is compared with more resources than a request may name', async () => {
  const { list, reads } = counted(['https://api.example/A']);
  const resource = Array.from({ length: 11 }, (_, at) => `https://api.example/${at}`).join(' ');
  assert.equal(targetFault(list, resource).message, 'resource must name at most 10 APIs');
  assert.equal(reads(), 0);
  const unread = () => assert.fail('the store is asked');
  const authorizationServers = { ofClient: unread, findOpen: unread, listOpenIdentifiers: unread };
  const services = { store: { authorizationServers } } as unknown as Parameters<typeof targetOf>[0];
  const { servers, fault } = await targetOf(services, { accountId: 1, appId: 2, linkedServers: 500 }, resource);
  assert.deepEqual(servers, []);
  assert.equal(fault?.message, 'resource must name at most 10 APIs');
});

it('a resource that differs by little is told; each known one is read as often for ten resources as for one', () => {
  const known = Array.from({ length: 50 }, (_, at) => `https://api.example:443/API/${at}`);
  const other = (count: number) => Array.from({ length: count }, (_, at) => `https://other.example/${at}`);
  const readsFor = (resource: string) => {
    const { list, reads } = counted(known);
    const { message } = targetFault(list, resource);
    return { message, reads: reads() };
  };
  const one = readsFor(other(1).join(' '));
  const ten = readsFor(other(10).join(' '));
  assert.equal(
    one.message,
    'resource must name an API authorization server that this client can get access tokens for',
  );
  assert.deepEqual(ten, one);
  const near = 'https://API.example/api/7/';
  const told = `resource must be https://api.example:443/API/7, letter by letter, and is ${near}`;
  assert.deepEqual(readsFor([...other(8), near, 'https://api.example/api/6'].join(' ')), { ...one, message: told });
  assert.equal(
    targetFault(['https://a.example', 'https://a.example/'], 'https://a.example').message,
    'resource must be https://a.example/, letter by letter, and is https://a.example',
  );
});
