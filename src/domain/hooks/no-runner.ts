import type { HookRunner } from './runner.ts';

const reason = 'no hook runner is started in this process';

/** Where no function can be run: every run is `unavailable`, and says so. */
export function createNoRunner(): HookRunner {
  return {
    run: async () => ({
      ending: 'unavailable',
      value: 'null',
      error: null,
      output: [],
      dropped: 0,
      durationMilliseconds: 0,
    }),
    checkSyntax: () => null,
    warm: () => {},
    recycle: () => {},
    health: () => ({ state: 'degraded', reason, layers: [] }),
    close: async () => {},
  };
}
