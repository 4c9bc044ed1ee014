import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { signingAlgorithms } from '../../../src/domain/clients/known-values.ts';
import { generateKeyPair } from '../../../src/domain/keys/key-pairs.ts';
import { rotateKeys } from '../../../src/domain/keys/rotate-keys.ts';
import { createSigner } from '../../../src/domain/keys/signer.ts';
import { failureOf } from '../../store/samples.ts';
import { createTestAccount, testServices } from '../../support/services.ts';
import { onServices } from '../subject.ts';

onServices('the signer', (subject) => {
  for (const alg of signingAlgorithms) {
    test(`signs with ${alg}, and another library verifies it with the published keys`, async () => {
      const { services } = subject;
      const account = await createTestAccount(services);
      const jwt = await services.signer.sign(account, alg, 'at+jwt', { iss: account.baseUrl, sub: 'Zoë' });
      const keys = [...(await services.signer.published(account))].map((key) => ({ ...key }));
      const { payload, protectedHeader } = await jwtVerify(jwt, createLocalJWKSet({ keys }), {
        algorithms: [alg],
        typ: 'at+jwt',
        issuer: account.baseUrl,
      });
      assert.equal(payload.sub, 'Zoë');
      const kid = keys.find((key) => key.alg === alg)?.kid;
      assert.deepEqual(protectedHeader, { alg, kid, typ: 'at+jwt' });
    });
  }

  test('a rotation by another process applies to the next signature', async () => {
    const services = await testServices(subject.services.store, { generateKeyPair });
    const account = await createTestAccount(services);
    const kidOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.', 1)[0] ?? '', 'base64url').toString()).kid;
    const before = kidOf(await services.signer.sign(account, 'ES256', 'JWT', {}));
    const elsewhere = { ...services, signer: createSigner(services) };
    await rotateKeys(elsewhere, account, { emergency: true });
    const after = kidOf(await services.signer.sign(account, 'ES256', 'JWT', {}));
    assert.notEqual(after, before);
    assert.ok((await services.signer.published(account)).some(({ kid }) => kid === after));
  });

  test('an account without keys cannot sign', async () => {
    const { services } = subject;
    const account = await createTestAccount(services);
    assert.equal(await failureOf(services.signer.sign({ ...account, id: 2 ** 30 }, 'RS256', 'JWT', {})), 'internal');
  });

  test('a private key that was moved to another account does not sign', async () => {
    const { services } = subject;
    const [mine, theirs] = [await createTestAccount(services), await createTestAccount(services)];
    assert.equal(
      await failureOf(services.signer.sign({ ...mine, record: theirs.record }, 'ES256', 'JWT', {})),
      'internal',
    );
  });
});
