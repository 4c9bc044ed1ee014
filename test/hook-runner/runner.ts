/** A hook runner for tests, and the calls that they make of it. */

import type { HookRun, HookRunResult } from '../../src/domain/hooks/runner.ts';
import type { GuestFetch } from '../../src/hook-runner/protocol.ts';
import { createHookRunner, type HookProcessRunner, type HookRunnerOptions } from '../../src/hook-runner/runner.ts';

export const graceMilliseconds = 250;

/** Answers every request with what was asked. */
export const echo: GuestFetch = async ({ url, method, headers, body }) => ({
  status: 200,
  url,
  redirected: false,
  headers: [['content-type', 'application/json']],
  body: Buffer.from(JSON.stringify({ url, method, headers, body: body && Buffer.from(body).toString() })),
});

export interface TestRunner extends HookProcessRunner {
  /** Runs `source` in account 1, with time enough on a busy machine, unless said. */
  call(source: string, more?: Partial<HookRun>): Promise<HookRunResult>;
  /** What the handler of `source` answers; throws when it does not. */
  value(source: string, more?: Partial<HookRun>): Promise<unknown>;
}

export async function openRunner(options: Partial<HookRunnerOptions> = {}): Promise<TestRunner> {
  const runner = createHookRunner({ fetch: echo, ...options });
  await runner.probed;
  const call: TestRunner['call'] = (source, more) =>
    runner.run({
      accountId: 1,
      source,
      packages: null,
      context: '{}',
      variables: {},
      timeoutMilliseconds: 60_000,
      ...more,
    });
  return {
    ...runner,
    call,
    async value(source, more) {
      const { ending, value, error } = await call(source, more);
      if (ending !== 'success') throw new Error(`${ending}: ${error?.message}`);
      return JSON.parse(value);
    },
  };
}

/** A function whose handler has this body; it may `await`, and knows `context`. */
export function handler(body: string): string {
  return `exports.handler = async (context) => { ${body} };`;
}
