import { after, before, describe } from 'node:test';
import type { Store } from '../../src/store/store.ts';
import { sampledDatabases } from '../support/sample.ts';
import { type DatabaseKind, databases, openTestStore, type TestStore } from '../support/stores.ts';

/** What a suite is run against. The members can be read once its tests run. */
export interface Subject {
  readonly store: Store;
  readonly url: string;
}

/** Runs the same suite on each database, on one fresh store; tests keep apart by making accounts of their own. */
export function onEachDatabase(
  title: string,
  suite: (subject: Subject, kind: DatabaseKind) => void,
  kinds: readonly DatabaseKind[] = databases,
): void {
  for (const kind of kinds) {
    describe(`${title} on ${kind}`, () => {
      let opened: TestStore | undefined;
      const current = (): TestStore => {
        if (!opened) throw new Error('the store is opened when the tests run');
        return opened;
      };
      before(async () => {
        opened = await openTestStore(kind);
      });
      after(async () => {
        await opened?.dispose();
      });
      suite(
        {
          get store() {
            return current().store;
          },
          get url() {
            return current().url;
          },
        },
        kind,
      );
    });
  }
}

/** The same above the store: on PostgreSQL in a drill. */
export function onSampledDatabases(title: string, suite: (subject: Subject) => void): void {
  onEachDatabase(title, suite, sampledDatabases);
}
