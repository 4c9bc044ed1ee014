/**
 * Each thing that an approval rests on ends it alone: the endings of codes and devices are tested where they happen.
 */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseSettings } from '../../../src/domain/accounts/settings.ts';
import { type Approval, isApprovedStill } from '../../../src/domain/login/approval.ts';
import { linkedServersOf } from '../../../src/domain/tokens/audience.ts';
import type { ClientRecord } from '../../../src/store/clients.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { day, newAccount, newClient, newUser, now, unique } from '../../store/samples.ts';
import { onServices } from '../subject.ts';

interface Changes {
  readonly client?: Partial<ClientRecord>;
  readonly user?: Partial<UserRecord>;
  readonly approval?: Partial<Approval>;
  readonly settings?: Readonly<Record<string, string>>;
}

onServices('what an approval rests on', (subject) => {
  async function approve() {
    const { store } = subject.services;
    const { id: accountId } = await newAccount(store);
    const user = await newUser(store, accountId);
    const client = await newClient(store, accountId);
    const sid = unique('sid');
    const session = { accountId, digest: unique('digest'), sid, userId: user.id, amr: ['pwd'] };
    const times = { authenticatedAt: now, lastSeenAt: now, idleMilliseconds: day, expiresAt: now + day };
    await store.sessions.create({ ...session, ...times, source: null, userAgent: null });
    await store.authorizations.saveConsent(accountId, user.id, client.appId, ['openid', 'email'], now);
    const asked = { scope: ['openid', 'email'], serverId: null, redirectUri: 'https://app.example.com/callback' };
    const approval = { sid, approvedAt: now, asked, apiScopes: [] };
    const holds = (changes: Changes = {}) =>
      isApprovedStill(
        store,
        { settings: parseSettings(changes.settings ?? {}) },
        { ...client, ...changes.client },
        { ...user, ...changes.user },
        {
          ...approval,
          ...changes.approval,
        },
        () => linkedServersOf({ store }, { ...client, ...changes.client }),
      );
    return { accountId, user, client, sid, asked, holds };
  }

  it('a password that is older than the approval; one that is newer ends it', async () => {
    const { holds } = await approve();
    assert.ok(await holds());
    assert.ok(await holds({ user: { passwordChangedAt: null } }));
    assert.ok(!(await holds({ user: { passwordChangedAt: now + 1 } })));
    assert.ok(await holds({ user: { passwordChangedAt: now + 1 }, approval: { approvedAt: null } }));
  });

  it('the session that it was given in', async () => {
    const { accountId, user, sid, holds } = await approve();
    assert.ok(!(await holds({ approval: { sid: unique('sid') } })));
    await subject.services.store.sessions.end(accountId, user.id, sid);
    assert.ok(!(await holds()));
    assert.ok(await holds({ approval: { sid: null } }));
  });

  it('consent to everything that was requested; for clients of open registration none is stored', async () => {
    const { accountId, user, client, asked, holds } = await approve();
    assert.ok(!(await holds({ approval: { asked: { ...asked, scope: ['openid', 'groups'] } } })));
    await subject.services.store.authorizations.removeConsent(accountId, user.id, client.appId);
    assert.ok(!(await holds()));
    assert.ok(await holds({ client: { registeredBy: 'open' } }));
    const settings = { open_registration_consent: 'remembered' };
    assert.ok(!(await holds({ client: { registeredBy: 'open' }, settings })), 'where consent is remembered, it counts');
  });

  it('what was allowed at APIs, for clients of open registration: APIs linked later are not included', async () => {
    const { accountId, client, asked, holds } = await approve();
    const { store } = subject.services;
    const { id: serverId } = await store.authorizationServers.create({
      ...{ accountId, name: 'Notes', description: null, resourceIdentifier: 'https://notes.example.com' },
      ...{
        audiences: [],
        accessTokenMinutes: null,
        refreshTokenMinutes: null,
        clientAccess: 'linked',
        resourceMetadata: false,
        createdAt: now,
        updatedAt: now,
      },
    });
    const scope = { accountId, serverId, value: 'write', description: null, open: false, createdAt: now };
    const { id: scopeId } = await store.authorizationServers.addScope(scope);
    const link = { accountId, serverId, appId: client.appId, scopeIds: [scopeId], linkedAt: now };
    await store.authorizationServers.link(link);
    const open = { registeredBy: 'open', linkedServers: 1 } as const;
    const wanted = { ...asked, scope: ['openid', 'write'] };
    const allowed = (apiScopes: string[]) => holds({ client: open, approval: { asked: wanted, apiScopes } });
    assert.ok(!(await allowed([])));
    assert.ok(!(await allowed([`write ${serverId + 1}`])));
    assert.ok(await allowed([`write ${serverId}`]));
    assert.ok(await holds({ client: open }), 'a request without an API');
  });

  it("the client's registration: its redirect URI and its scopes", async () => {
    const { holds } = await approve();
    assert.ok(!(await holds({ client: { redirectUris: ['https://app.example.com/other'] } })));
    assert.ok(!(await holds({ client: { scope: ['openid'] } })));
    assert.ok(await holds({ client: { scope: ['openid', 'email'] } }));
  });
});
