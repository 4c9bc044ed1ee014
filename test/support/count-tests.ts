/** A reporter that writes how many tests ran: a file without any counts as one test to the runner, which passes. */

import type { TestEvent } from 'node:test/reporters';

// biome-ignore lint/style/noDefaultExport: the runner asks for it
export default async function* countTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let count = 0;
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const isFile = data.nesting === 0 && /\.m?[jt]s$/.test(data.name);
    if (data.details.type !== 'suite' && !isFile) count += 1;
  }
  yield String(count);
}
