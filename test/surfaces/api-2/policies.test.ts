/** Policies over the management API, on both databases. */

import { after, before, describe } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { databases } from '../../support/stores.ts';
import { policies } from './policies.ts';

for (const kind of databases) {
  describe(`policies of api-2 on ${kind}`, () => {
    let app: TestApp;
    before(async () => {
      app = await openTestApp(kind);
    });
    after(() => app.dispose());
    policies(() => app);
  });
}
