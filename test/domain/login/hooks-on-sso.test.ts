/** When the hooks have to pass the use of a session for an app, in an account that wants them there. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { areHooksDue, type Use } from '../../../src/domain/login/hooks-on-sso.ts';
import { ownPages } from '../../../src/domain/login/own-pages.ts';
import { newClient, newUser } from '../../store/samples.ts';
import { createTestAccount } from '../../support/services.ts';
import { ownVisit } from '../../support/visits.ts';
import { onServices } from '../subject.ts';

onServices('hooks at single sign-on', (subject) => {
  async function use(settings: Readonly<Record<string, string>>) {
    const { services } = subject;
    const account = await createTestAccount(services, { settings });
    const client = await newClient(services.store, account.id);
    const visit = await ownVisit({ services, account }, await newUser(services.store, account.id));
    const due = (record: object = {}, app = client) => {
      const request = { client: app, record: { sid: null, hookPolicyUserId: null, ...record } };
      // Only the members that are read.
      return areHooksDue(services, account, { ...visit, request } as unknown as Use);
    };
    return { account, client, ...visit, due };
  }

  it('are due at the first use of a session for an app, and not for the account pages', async () => {
    const { account, client, session, due } = await use({ hook_on_sso: 'each_app' });
    assert.ok(await due());
    assert.ok(!(await due({}, ownPages(account))));
    await subject.services.store.transaction((tx) => tx.sessions.noteUse(session, client.appId));
    assert.ok(!(await due()));
    assert.ok(await due({}, await newClient(subject.services.store, account.id)));
  });

  it('are not due again for the same user in the same request, but are for another user', async () => {
    const { session, user, due } = await use({ hook_on_sso: 'each_app' });
    assert.ok(!(await due({ sid: session.sid })));
    assert.ok(await due({ sid: 'of another session' }));
    assert.ok(!(await due({ hookPolicyUserId: user.id })));
    assert.ok(await due({ hookPolicyUserId: user.id + 1 }));
  });

  it('are never due where the account turned them off', async () => {
    const { due } = await use({});
    assert.ok(!(await due()));
  });
});
