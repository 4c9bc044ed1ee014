import type { HookRunner } from '../domain/hooks/runner.ts';
import { createSyntaxChecks } from './syntax.ts';

/** A runner that is opened by the first run: commands that run no function start no process. */
export function createLazyRunner(open: () => HookRunner): HookRunner {
  const syntax = createSyntaxChecks();
  let opened: HookRunner | null = null;
  const runner = () => {
    opened ??= open();
    return opened;
  };
  return {
    run: (call) => runner().run(call),
    load: (call) => runner().load(call),
    checkSyntax: syntax.check,
    // Both are for what runs later, in a process that stays.
    warm: async () => {},
    recycle: (accountId) => opened?.recycle(accountId),
    health: () => runner().health(),
    close: async () => void (await Promise.all([opened?.close(), syntax.close()])),
  };
}
