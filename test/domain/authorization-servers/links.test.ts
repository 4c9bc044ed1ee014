import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changeLink, linkClient, unlinkClient } from '../../../src/domain/authorization-servers/links.ts';
import { removeServer } from '../../../src/domain/authorization-servers/servers.ts';
import { newClient, newServer, now } from '../../store/samples.ts';
import { createTestAccount } from '../../support/services.ts';
import { onServices } from '../subject.ts';

onServices('links of clients to API authorization servers', (subject) => {
  it('an app is linked to 100 at most; one that is unlinked or removed makes room', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    const { appId } = await newClient(services.store, account.id);
    const servers: number[] = [];
    await services.store.transaction(async (tx) => {
      for (let at = 0; at < 102; at += 1) servers.push((await newServer(tx, account.id)).id);
      for (const serverId of servers.slice(0, 99)) {
        await tx.authorizationServers.link({ accountId: account.id, serverId, appId, scopeIds: [], linkedAt: now });
      }
    });
    const link = (at: number) => linkClient(services, account, servers[at] ?? 0, appId, []);
    await link(99);
    const full = { code: 'value_invalid', message: 'app_id is linked to 100 servers already' };
    await assert.rejects(link(100), full);
    await assert.rejects(link(5), { code: 'conflict', message: 'app_id is already linked to this server' });
    await unlinkClient(services, account, servers[5] ?? 0, appId);
    await link(100);
    await assert.rejects(link(101), full);
    await removeServer(services, account, servers[6] ?? 0);
    await link(101);
    const { appId: other } = await newClient(services.store, account.id);
    await linkClient(services, account, servers[0] ?? 0, other, []);
  });

  it('the links of an app have 1,000 scopes at most, in whatever order they get them', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    const { appId } = await newClient(services.store, account.id);
    const servers: { readonly id: number; readonly scopes: readonly number[] }[] = [];
    await services.store.transaction(async (tx) => {
      for (let at = 0; at < 6; at += 1) {
        const { id } = await newServer(tx, account.id);
        const scopes: number[] = [];
        for (let scope = 0; scope < 200; scope += 1) {
          const named = { value: `scope:${scope}`, description: null, open: false, createdAt: now };
          scopes.push((await tx.authorizationServers.addScope({ accountId: account.id, serverId: id, ...named })).id);
        }
        servers.push({ id, scopes });
      }
    });
    const [first, second, third, fourth, fifth, last] = servers;
    assert.ok(first && last);
    const full = {
      code: 'value_invalid',
      message: 'scopes cannot be added: the links of the app have 1000 scopes at most',
    };
    await linkClient(services, account, last.id, appId, last.scopes.slice(0, 1));
    for (const server of [first, second, third, fourth]) {
      assert.ok(server);
      await linkClient(services, account, server.id, appId, server.scopes);
    }
    assert.ok(fifth);
    await assert.rejects(linkClient(services, account, fifth.id, appId, fifth.scopes), full);
    await linkClient(services, account, fifth.id, appId, fifth.scopes.slice(0, 199));
    await assert.rejects(changeLink(services, account, last.id, appId, last.scopes.slice(0, 2)), full);
    await changeLink(services, account, first.id, appId, first.scopes.slice(0, 199));
    await changeLink(services, account, last.id, appId, last.scopes.slice(0, 2));
  });
});
