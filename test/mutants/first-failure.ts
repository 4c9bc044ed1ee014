/** A reporter that writes one line of JSON: the first test that failed, as soon as it has, or how many passed. */

import type { TestEvent } from 'node:test/reporters';

/** What a run of tests came to. */
export type Outcome =
  | { readonly failed: string; readonly because: string; readonly broken: null }
  /** `broken`: what failed though no test did, such as a file that cannot be loaded. */
  | { readonly failed: null; readonly passed: number; readonly broken: string | null };

// biome-ignore lint/style/noDefaultExport: the runner asks for it
export default async function* firstFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0;
  let broken: string | null = null;
  for await (const { type, data } of events) {
    if (type === 'test:pass' && data.details.type !== 'suite') passed += 1;
    if (type !== 'test:fail') continue;
    const { error } = data.details;
    const because = String(error.cause instanceof Error ? error.cause.message : error.cause);
    // A hook or a suite that fails, or a test that was cancelled with it, judges nothing.
    if (data.details.type !== 'suite' && 'failureType' in error && error.failureType === 'testCodeFailure') {
      yield lineOf({ failed: data.name, because, broken: null });
      return;
    }
    broken ??= `${data.name}: ${because}`;
  }
  yield lineOf({ failed: null, passed, broken });
}

function lineOf(outcome: Outcome): string {
  return `${JSON.stringify(outcome)}\n`;
}
