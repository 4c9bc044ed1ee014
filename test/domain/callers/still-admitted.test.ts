import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueCredentialToken, revokeCredentialToken } from '../../../src/domain/callers/credential-tokens.ts';
import { createCredential, listCredentials } from '../../../src/domain/callers/credentials.ts';
import { isStillAdmitted } from '../../../src/domain/callers/still-admitted.ts';
import { createTestAccount } from '../../support/services.ts';
import { onServices } from '../subject.ts';

onServices('callers of an answer that goes on', (subject) => {
  test('are admitted with a token of the scope, as long as it is good at this account', async () => {
    const { services } = subject;
    const [account, other] = [await createTestAccount(services), await createTestAccount(services)];
    await createCredential(services, account, ['read_all']);
    const [credential] = await listCredentials(services, account);
    assert.ok(credential);
    const { accessToken } = await issueCredentialToken(services, account, credential);
    const isAdmitted = (scope = 'read_all', of = account, header: string | undefined = `Bearer ${accessToken}`) =>
      isStillAdmitted(services, of, header, [scope]);
    assert.equal(await isAdmitted(), true);
    assert.equal(await isAdmitted('manage_all'), false, 'another scope');
    assert.equal(await isAdmitted('read_all', other), false, 'another account');
    assert.equal(await isStillAdmitted(services, account, undefined, ['read_all']), false, 'no token');
    assert.equal(await isAdmitted('read_all', account, `DPoP ${accessToken}`), false, 'another scheme');
    await revokeCredentialToken(services, account, credential, accessToken);
    assert.equal(await isAdmitted(), false, 'a revoked token');
  });

  test('a store that does not answer refuses nobody', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    const lost = new Error('for the test');
    const [find, findToken] = [() => Promise.reject(lost), () => Promise.reject(lost)];
    const { accounts, callers } = services.store;
    const store = { ...services.store, accounts: { ...accounts, find }, callers: { ...callers, findToken } };
    for (const header of [`Bearer ct_1_${'x'.repeat(43)}`, `DPoP gt_${'x'.repeat(43)}`]) {
      await assert.rejects(isStillAdmitted({ ...services, store }, account, header, ['read_all']), lost);
    }
  });
});
