import { before } from 'node:test';
import { onEachDatabase } from '../store/suite.ts';
import { sampledDatabases } from '../support/sample.ts';
import { type TestServices, testServices } from '../support/services.ts';
import type { DatabaseKind } from '../support/stores.ts';

/**
 * Runs the same suite over databases, on PostgreSQL in a drill alone unless `kinds` has it: what simultaneous calls and
 * locks decide. Services can be read once its tests run, and share one clock.
 */
export function onServices(
  title: string,
  suite: (subject: { readonly services: TestServices }, kind: DatabaseKind) => void,
  kinds: readonly DatabaseKind[] = sampledDatabases,
): void {
  const overStore: Parameters<typeof onEachDatabase>[1] = (subject, kind) => {
    let services: TestServices | undefined;
    before(async () => {
      services = await testServices(subject.store);
    });
    suite(
      {
        get services() {
          if (!services) throw new Error('the services are made when the tests run');
          return services;
        },
      },
      kind,
    );
  };
  onEachDatabase(title, overStore, kinds);
}

/** The code and name of the failure that `work` throws. */
export function thrownBy(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    const { code, detail } = error as { code?: string; detail?: { name?: string } }; // A Failure, or the test fails.
    return [code, detail?.name].filter(Boolean).join(' ');
  }
  return 'nothing';
}
