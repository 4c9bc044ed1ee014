/** Hooks at work: a browser signs in, and functions run in processes of their own. */

import { after, before, describe } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { databases } from '../../support/stores.ts';
import { failing } from './failing.ts';
import { firing } from './firing.ts';
import { logging } from './logging.ts';
import { migrating } from './migrating.ts';

for (const kind of databases) {
  describe(`hooks on ${kind}`, () => {
    let opened: TestApp;
    const app = () => opened;
    before(async () => {
      opened = await openTestApp(kind);
    });
    after(() => opened.dispose());

    describe('firing', () => firing(app));
    describe('failing', () => failing(app));
    describe('logs', () => logging(app));
    describe('user migration', () => migrating(app));
  });
}
