/** What a half-made sign-in still asks for, and when it is worth nothing any more. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { OpenRequest } from '../../../src/domain/login/authorization-request.ts';
import { wayOf } from '../../../src/domain/login/due.ts';
import { linkMethods, passwordMethods } from '../../../src/domain/login/methods.ts';
import { findPending, findStepUp } from '../../../src/domain/login/pending.ts';
import { effectivePolicy } from '../../../src/domain/policies/effective-policy.ts';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import type { SessionRecord } from '../../../src/store/sessions.ts';
import type { UserUpdate } from '../../../src/store/users.ts';
import { minute, newClient, newUser } from '../../store/samples.ts';
import { createTestAccount } from '../../support/services.ts';
import { setUser } from '../../support/users.ts';
import { onServices } from '../subject.ts';

onServices('a half-made sign-in', (subject) => {
  /** A user after the password, for an app that requires enrolling a second factor first. */
  async function halfway() {
    const { services } = subject;
    const { store, clock } = services;
    const account = await createTestAccount(services);
    const client = await newClient(store, account.id);
    const user = await newUser(store, account.id, { passwordChangedAt: clock.now(), createdAt: clock.now() });
    await store.access.grant(account.id, client.appId, { userId: user.id }, clock.now());
    const { id } = await createPolicy(services, account, { name: 'Demanding', otpRequired: true });
    await store.policies.assign(account.id, { userId: user.id }, id);
    const passwordCheckedAt = clock.now();
    const request = (methods: readonly string[] = passwordMethods) => {
      const hooks = { hookPolicyId: null, hookPolicyUserId: null };
      const record = { passwordUserId: user.id, passwordCheckedAt, methods, parameters: {}, ...hooks };
      // Only the members that are read.
      return { record, client } as unknown as OpenRequest;
    };
    const step = async (methods?: readonly string[]) =>
      (await findPending(services, account, request(methods)))?.step ?? 'nothing';
    const change = (update: UserUpdate) => store.users.update(account.id, user.id, update);
    return { account, user, request, step, change };
  }

  it('ends with the password that began it, and with a sign-out everywhere', async () => {
    const ends = [
      () => ({ passwordChangedAt: subject.services.clock.now() }),
      () => ({ signedOutAt: subject.services.clock.now() }),
    ];
    for (const end of ends) {
      const { step, change } = await halfway();
      assert.equal(await step(), 'enrolment');
      await change(end());
      assert.equal(await step(), 'nothing');
    }
  });

  it('cannot enrol a second factor where it began with a link', async () => {
    const { step } = await halfway();
    assert.equal(await step(linkMethods), 'nothing');
  });

  it('continues under the policy that a hook chose for its user, and for no other', async () => {
    const { user, request } = await halfway();
    const { client, record } = request();
    const chosen = { client, record: { ...record, hookPolicyId: 7, hookPolicyUserId: user.id } };
    assert.equal(wayOf(chosen, user).hookPolicyId, 7);
    assert.equal(wayOf(chosen, { id: user.id + 1 }).hookPolicyId, null);
  });

  it('is refused when the user is locked meanwhile', async () => {
    const { account, user, step } = await halfway();
    await setUser(subject.services, account, user.id, { status: 'locked' });
    assert.equal(await step(), 'refused');
  });

  it('a session may enrol a second factor for ten minutes after its sign-in', async () => {
    const { services } = subject;
    const { account, user, request } = await halfway();
    const session = { amr: passwordMethods, authenticatedAt: services.clock.now() } as SessionRecord;
    const policy = () => effectivePolicy(services, account, user, request().client);
    const stepUp = () => findStepUp(services, account, request(), session, user, policy);
    const young = await stepUp();
    assert.ok(young !== null && young !== 'sign_in' && young.step === 'enrolment');
    services.clock.advance(10 * minute);
    assert.equal(await stepUp(), 'sign_in');
  });
});
