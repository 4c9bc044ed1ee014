/** Before the answer nothing differs by whose name was typed (L5). */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { actAs } from '../../../src/domain/audit/context.ts';
import { csrfToken } from '../../../src/domain/login/authorization-request.ts';
import { askForReset, resetForm } from '../../../src/domain/password-reset/ask.ts';
import { faultyStore } from '../../support/faults.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { createTestAccount, testServices } from '../../support/services.ts';
import { openTestStore } from '../../support/stores.ts';
import { addUser } from '../../support/users.ts';

for (const kind of sampledDatabases) {
  describe(`requesting a link on ${kind}`, () => {
    test('makes the same store calls for a known name and for an unknown one', async () => {
      const { store, dispose } = await openTestStore(kind);
      try {
        let verbs: string[] = [];
        const recorded = faultyStore(store, (verb) => {
          verbs.push(verb);
          return null;
        });
        const made = await testServices(recorded);
        // What is done after the answer is left out.
        const services = { ...made, resetMails: { wake: () => {}, run: async () => {} } };
        const account = await createTestAccount(services);
        await addUser(services, account, {
          email: 'ada@example.com',
          username: 'ada',
          password: 'seven brown bears',
        });
        const browserSecret = 'b'.repeat(43);
        const browser = { browserSecret, sessionSecret: undefined, requestId: resetForm };
        const ask = async (name: string) => {
          verbs = [];
          const origin = { actor: null, source: '192.0.2.17', requestId: 'r' };
          const csrf = csrfToken(browserSecret, resetForm);
          const asked = () => askForReset(services, account, browser, csrf, { name, source: '192.0.2.17' });
          assert.equal(await actAs(origin, asked), true);
          return verbs;
        };
        const known = await ask('ada@example.com');
        assert.ok(known.length > 0 && !known.some((verb) => verb.startsWith('users.')), known.join());
        for (const name of ['ada', 'nobody', 'nobody@example.com', '\u{1F600}'])
          assert.deepEqual(await ask(name), known);
      } finally {
        await dispose();
      }
    });
  });
}
