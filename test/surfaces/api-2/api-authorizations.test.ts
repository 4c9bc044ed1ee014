import { after, before, describe } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { databases } from '../../support/stores.ts';
import { apiAuthorizations } from './api-authorizations.ts';

for (const kind of databases) {
  describe(`API authorization servers on ${kind}`, () => {
    let opened: TestApp;
    before(async () => {
      opened = await openTestApp(kind, { settings: { 'limit.api-2': 'off' } });
    });
    after(() => opened.dispose());
    apiAuthorizations(() => opened);
  });
}
