/** Hooks at work: a browser signs in, and functions run in processes of their own. */

import { after, before, describe } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { sampledDatabases } from '../../support/sample.ts';
import type { DatabaseKind } from '../../support/stores.ts';

/** Declares the cases on each database, each with its own application. */
export function onApps(
  title: string,
  cases: (app: () => TestApp) => void,
  kinds: readonly DatabaseKind[] = sampledDatabases,
): void {
  for (const kind of kinds) {
    describe(`${title} on ${kind}`, () => {
      let opened: TestApp;
      before(async () => {
        opened = await openTestApp(kind);
      });
      after(() => opened.dispose());
      cases(() => opened);
    });
  }
}
