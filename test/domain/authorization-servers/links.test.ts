import assert from 'node:assert/strict';
import { it } from 'node:test';
import { linkClient, unlinkClient } from '../../../src/domain/authorization-servers/links.ts';
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
});
